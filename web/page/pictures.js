// The page's own pictures. They are computed, so that nothing needs to be fetched and every run is the
// same.

/** name: what the menu shows, in the order of the menu. */
export const PICTURES = {
    print: { title: 'A printed postcard', about: 'its dots are bright spots of the spectrum' },
    hills: { title: 'Hills at dusk', about: 'a picture as a camera sees it' },
    scan: { title: 'A scan with stripes', about: 'interference, slanted' },
    chart: { title: 'Test chart', about: 'every frequency at its own place' },
    page: { title: 'Shapes', about: 'edges, dots and a grid' },
    moved: { title: 'Shapes, and the camera moved', about: 'dark stripes in the spectrum' },
    texture: { title: 'A texture', about: 'the waves of the hills, nowhere in particular' },
    swapped: { title: 'Swapped phases', about: 'the waves of the hills at the places of the shapes' },
};

const clamp = (x, low = 0, high = 1) => Math.min(Math.max(x, low), high);
const mix = (a, b, t) => a + (b - a) * t;
const smooth = (low, high, x) => {
    const t = clamp((x - low) / (high - low));
    return t * t * (3 - 2 * t);
};

function hash(x, y) {
    let h = (Math.imul(x, 374761393) + Math.imul(y, 668265263)) | 0;
    h = Math.imul(h ^ (h >>> 13), 1274126177);
    return ((h ^ (h >>> 16)) >>> 0) / 4294967296;
}

function noise(x, y) {
    const i = Math.floor(x),
        j = Math.floor(y),
        u = smooth(0, 1, x - i),
        v = smooth(0, 1, y - j);
    return mix(mix(hash(i, j), hash(i + 1, j), u), mix(hash(i, j + 1), hash(i + 1, j + 1), u), v);
}

function fractal(x, y, octaves) {
    let sum = 0;
    for (let k = 0, size = 0.5; k < octaves; k++, size /= 2, x = 2 * x + 17.3, y = 2 * y + 5.1)
        sum += size * noise(x, y);
    return sum;
}

function make(width, height, colour) {
    const data = new Uint8Array(width * height * 3),
        rgb = [0, 0, 0];
    for (let y = 0, at = 0; y < height; y++)
        for (let x = 0; x < width; x++, at += 3) {
            colour(x, y, rgb);
            for (let c = 0; c < 3; c++) data[at + c] = Math.round(255 * clamp(rgb[c]));
        }
    return { width, height, channels: 3, data };
}

// ---- Hills --------------------------------------------------------------------------------------

const SKY = [
    [0.16, 0.22, 0.42],
    [0.55, 0.45, 0.6],
    [0.98, 0.66, 0.45],
    [1.0, 0.87, 0.62],
];
const RIDGES = [
    { base: 0.56, rise: 0.16, size: 1.6, colour: [0.62, 0.47, 0.55] },
    { base: 0.62, rise: 0.16, size: 2.3, colour: [0.43, 0.36, 0.48] },
    { base: 0.7, rise: 0.18, size: 3.1, colour: [0.27, 0.28, 0.38] },
    { base: 0.82, rise: 0.2, size: 3.7, colour: [0.13, 0.19, 0.24] },
];

// A ridge is lighter towards its foot, where the haze is.
function layRidge(rgb, j, x, y, below, height) {
    if (below < -1) return;
    const covers = clamp(below + 1),
        depth = clamp(below / height / 0.16),
        { colour } = RIDGES[j];
    const grain = 0.75 + 0.5 * fractal(x / 9 / (j + 0.6) + 50 * j, y / 5 / (j + 0.6), 4);
    for (let c = 0; c < 3; c++)
        rgb[c] = mix(
            rgb[c],
            mix(colour[c], SKY[2][c], (0.22 * depth * (3 - j)) / 3) * mix(1, grain, 0.14 + 0.16 * j),
            covers,
        );
}

function hills(width, height) {
    const tops = RIDGES.map((ridge, k) =>
        Float32Array.from(
            { length: width },
            (_, x) =>
                ridge.base -
                ridge.rise * (fractal((x / width) * ridge.size * 1.6 + 31 * k, 7 * k + 0.5, 7) - 0.45),
        ),
    );
    return make(width, height, (x, y, rgb) => {
        const u = x / width,
            v = y / height;
        const sun = Math.hypot(((u - 0.67) * width) / height, v - 0.44);
        const level = clamp(v / 0.62) * 3,
            k = Math.min(Math.floor(level), 2);
        const cloud =
            v < 0.55 ? smooth(0.42, 0.72, fractal(u * 3.1 + 4, v * 11, 6)) * (1 - smooth(0.3, 0.55, v)) : 0;
        for (let c = 0; c < 3; c++) {
            rgb[c] = mix(SKY[k][c], SKY[k + 1][c], level - k);
            rgb[c] = mix(rgb[c], [1, 0.8, 0.66][c], 0.55 * cloud);
            rgb[c] +=
                [0.55, 0.36, 0.14][c] * Math.exp(-sun * sun * 16) +
                smooth(0.074, 0.069, sun) * [0.5, 0.5, 0.4][c];
        }
        let first = RIDGES.length - 1; // the ridge that hides those behind it
        while (first > 0 && v < tops[first][x]) first--;
        for (let j = first; j < RIDGES.length; j++) layRidge(rgb, j, x, y, (v - tops[j][x]) * height, height);
    });
}

// ---- A print: a screen of dots that grow with the darkness --------------------------------------

function print(width, height) {
    const picture = hills(width, height),
        turn = (2 * Math.PI) / 5.6,
        cosine = Math.cos(0.5),
        sine = Math.sin(0.5);
    const edge = Float32Array.from({ length: 1025 }, (_, i) =>
        mix(0.08, 0.98, smooth(-0.4, 0.4, i / 512 - 1)),
    );
    for (let y = 0, at = 0; y < height; y++)
        for (let x = 0; x < width; x++, at += 3) {
            const dot =
                0.25 *
                (2 + Math.cos(turn * (cosine * x + sine * y)) + Math.cos(turn * (cosine * y - sine * x)));
            for (let c = 0; c < 3; c++) {
                const level = 0.08 + (0.86 * picture.data[at + c]) / 255;
                picture.data[at + c] = 255 * edge[Math.round(512 * (1 + level - (0.12 + 0.76 * dot)))];
            }
        }
    return picture;
}

// ---- A scan with stripes ------------------------------------------------------------------------

function scan(width, height) {
    const picture = hills(width, height);
    for (let y = 0, at = 0; y < height; y++)
        for (let x = 0; x < width; x++)
            for (let c = 0; c < 3; c++, at++)
                picture.data[at] = Math.round(
                    255 *
                        clamp(
                            (picture.data[at] / 255) * 0.8 +
                                0.1 +
                                0.1 * Math.sin(2 * Math.PI * (0.071 * x + 0.113 * y)) +
                                0.05 * Math.sin(2 * Math.PI * (0.16 * x - 0.04 * y)),
                        ),
                );
    return picture;
}

// ---- Charts -------------------------------------------------------------------------------------

// The frequency of the rings rises in proportion to the distance from the middle, up to Nyquist at the
// sides.
function chart(width, height) {
    return make(width, height, (x, y, rgb) => {
        const u = x - width / 2,
            v = y - height / 2,
            side = Math.min(width, height),
            square = u * u + v * v;
        const fades = smooth(0.5, 0.46, Math.sqrt(square) / side);
        rgb.fill(0.5 + 0.46 * fades * Math.cos((Math.PI * square) / side));
    });
}

function page(width, height) {
    const paper = [0.96, 0.94, 0.9],
        ink = [0.13, 0.14, 0.17],
        red = [0.8, 0.29, 0.22],
        blue = [0.2, 0.4, 0.6];
    return make(width, height, (x, y, rgb) => {
        const u = x / height,
            v = y / height;
        const lay = (colour, covers) => {
            for (let c = 0; c < 3; c++) rgb[c] = mix(rgb[c], colour[c], clamp(covers));
        };
        for (let c = 0; c < 3; c++) rgb[c] = paper[c];
        lay(red, (0.17 - Math.hypot(u - 0.31, v - 0.3)) * height + 0.5);
        const turned = Math.max(
            Math.abs((u - 0.84) * 0.94 + (v - 0.3) * 0.34),
            Math.abs((v - 0.3) * 0.94 - (u - 0.84) * 0.34),
        );
        lay(blue, (0.15 - turned) * height + 0.5);
        if (u < 0.56 && u > 0.1 && v > 0.6 && v < 0.9)
            lay(ink, smooth(-0.4, 0.4, Math.cos((2 * Math.PI * x) / mix(24, 5, (u - 0.1) / 0.46))));
        if (u > 0.68 && u < 1.2 && v > 0.58 && v < 0.92)
            lay(
                ink,
                (0.011 - Math.hypot((((u / 0.04) % 1) - 0.5) * 0.04, (((v / 0.04) % 1) - 0.5) * 0.04)) *
                    height +
                    0.5,
            );
    });
}

// A camera that moves by 31 pixels: every pixel is a mean along its row.
function moved(width, height) {
    const { data } = page(width + 30, height),
        sum = [0, 0, 0];
    const out = new Uint8Array(width * height * 3);
    for (let y = 0; y < height; y++) {
        sum.fill(0);
        for (let x = -30; x < width; x++)
            for (let c = 0; c < 3; c++) {
                const row = y * (width + 30);
                sum[c] += data[3 * (row + x + 30) + c] - (x > 0 ? data[3 * (row + x - 1) + c] : 0);
                if (x >= 0) out[3 * (y * width + x) + c] = Math.round(sum[c] / 31);
            }
    }
    return { width, height, channels: 3, data: out };
}

const MAKERS = { print, hills, scan, page, moved, chart: () => chart(768, 768) };

// Pictures that are put together in the Fourier plane: whose magnitudes, and whose phases; null is chance.
const MIXED = { texture: ['hills', null], swapped: ['hills', 'page'] };

/** Makes a picture of the page's own. mix(magnitudes, phases) comes from the library; see Lens.mix. */
export function ownPicture(name, mix = null, width = 880, height = 660) {
    const make = of => MAKERS[of](width, height);
    if (!MIXED[name]) return { ...make(name), name };
    const [magnitudes, phases] = MIXED[name];
    return { ...mix(make(magnitudes), phases && make(phases)), name };
}
