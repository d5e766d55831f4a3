// The library behind the page: documents become filters, plans and results. Workers and node use it alike.
import { average, excerptGrid } from './excerpt.js';
import { EMPTY, changed } from './document.js';
import { Mask, paint } from './mask.js';
import { gridFor, maskGrid } from './strokes.js';

/** The pixels of the largest picture whose plan is kept while one paints. */
const FOLLOWED_MOST = 4e6;

const typeOf = data => (data instanceof Uint16Array ? 'u16' : data instanceof Float32Array ? 'f32' : 'u8');
const hasAlpha = picture => picture.channels === 2 || picture.channels === 4;

/** Pixels for a canvas. */
export function toRgba({ width, height, channels, data }) {
    const out = new Uint8ClampedArray(width * height * 4),
        shift = data instanceof Uint16Array ? 8 : 0;
    for (let i = 0, o = 0; o < out.length; i += channels, o += 4) {
        out[o] = data[i] >> shift;
        out[o + 1] = channels > 2 ? data[i + 1] >> shift : out[o];
        out[o + 2] = channels > 2 ? data[i + 2] >> shift : out[o];
        out[o + 3] = channels === 2 || channels === 4 ? data[i + channels - 1] >> shift : 255;
    }
    return out;
}

/** The plan of a document for a picture. Filters that remove constants (constant 0) show results on mid grey. */
const planParams = (document, picture, filter, constant) => ({
    width: picture.width,
    height: picture.height,
    channels: picture.channels,
    type: typeOf(picture.data),
    filters: [filter],
    border: document.border,
    alpha: hasAlpha(picture) ? document.alpha : 'none',
    linearLight: document.linear,
    offset: Math.abs(constant) < 1e-6 ? 0.5 : 0,
});

// Opposite frequencies are painted together: rectangles that are opposite to one before need not be painted.
function firstOfOpposites(areas, { width, height }) {
    const flipped = (from, to, length) => [
        2 * Math.floor(length / 2) - to + 1,
        2 * Math.floor(length / 2) - from + 1,
    ];
    const holds = (outer, { left, top, right, bottom }) => {
        const [flippedLeft, flippedRight] = flipped(left, right, width),
            [flippedTop, flippedBottom] = flipped(top, bottom, height);
        return (
            outer.left <= flippedLeft &&
            outer.right >= flippedRight &&
            outer.top <= flippedTop &&
            outer.bottom >= flippedBottom
        );
    };
    return areas.filter((area, i) => !areas.slice(0, i).some(before => holds(before, area)));
}

export class Lens {
    #abbe;
    #cpu;
    #gpu;
    #prefiltered = {};
    /** What follows a hand, by its grid: a mask, and the plan whose filter it is. */
    #followed = new Map();

    /** `gpu` is an object with a device, or null for none; see gpu.js. */
    constructor(abbe, gpu = null) {
        this.#abbe = abbe;
        this.#cpu = abbe.device('cpu');
        this.#gpu = gpu;
        if (gpu) gpu.leaving = () => this.rest();
    }

    get detail() {
        return this.#cpu.detail;
    }

    catalogue() {
        return this.#abbe.catalogue();
    }

    /** Throws the library's message where a text is no filter. */
    check(text) {
        this.#abbe.filter(text).dispose();
    }

    // Calls use(filter, gain of a constant) with the document's filter; `values` are the gains of its strokes.
    #withFilter(document, grid, values, use) {
        const made = [],
            keep = filter => (made.push(filter), filter);
        try {
            let constant = 1;
            const list = [];
            if (document.strokes.length) {
                constant *= values[Math.floor(grid.height / 2) * grid.width + Math.floor(grid.width / 2)];
                list.push(keep(this.#abbe.mask({ width: grid.width, height: grid.height, values })));
            }
            if (document.filter.trim()) {
                const filter = keep(this.#abbe.filter(document.filter.trim()));
                constant *= filter.info.components > 1 ? 1 : filter.gain(0, 0)[0];
                list.push(filter); // last, because no filter may follow a gradient magnitude
            }
            if (!list.length) list.push(keep(this.#abbe.filter('identity')));
            return use(list.length > 1 ? keep(this.#abbe.chain(list)) : list[0], constant);
        } finally {
            for (const filter of made.reverse()) filter.dispose();
        }
    }

    // The GPU if there is one; the CPU takes over where it fails.
    #onDevice(call) {
        if (this.#gpu?.device) {
            try {
                return call(this.#gpu.device);
            } catch (error) {
                if (error.code === 'ABBE_ERR_DEVICE')
                    this.#gpu.drop(`The GPU failed (${error.message}); the CPU goes on.`);
            }
        }
        return call(this.#cpu);
    }

    /** Filters a picture. Results that have lost their mean are shown on mid grey. */
    run(document, picture, grid = gridFor(picture)) {
        const values = paint(document.strokes, grid, document.keepsMean);
        return this.#withFilter(document, grid, values, (filter, constant) => {
            const params = planParams(document, picture, filter, constant);
            return this.#onDevice(device => this.#runOn(device, params, picture));
        });
    }

    /**
     * The same for a document that changes by strokes: the mask and the plan are kept, and only what a stroke
     * touches is made anew.
     */
    follow(document, picture, grid = gridFor(picture)) {
        const { strokes, ...rest } = document,
            { width, height, channels, data } = picture;
        if (!strokes.length || width * height > FOLLOWED_MOST) return this.run(document, picture, grid);
        const kept = this.#followedFor(grid),
            started = performance.now(),
            changed = kept.mask.follow(strokes, document.keepsMean),
            device = this.#gpu?.device ?? this.#cpu,
            key = JSON.stringify([rest, channels, typeOf(data), device.name]),
            fits = kept.plan && kept.key === key;
        kept.key = ''; // until the plan has what the mask has
        if (fits && this.#repaint(kept, changed)) {
            kept.key = key;
            return this.#timed(kept.plan, kept.params, picture, started);
        }
        return this.#withFilter(document, grid, kept.mask.values, (filter, constant) => {
            const params = planParams(document, picture, filter, constant);
            return this.#onDevice(device => {
                if (fits && kept.params.offset === params.offset) {
                    kept.plan.replace([filter]);
                } else {
                    kept.plan?.dispose();
                    kept.plan = null;
                    kept.plan = device.plan(params);
                }
                Object.assign(kept, { key, params });
                return this.#timed(kept.plan, params, picture, started);
            });
        });
    }

    // Paints what has changed into the plan's mask; false where another filter is needed.
    #repaint({ plan, mask }, changed) {
        try {
            for (const area of firstOfOpposites(changed, mask.grid))
                plan.repaint(mask.part(area), area.left, area.top);
            return true;
        } catch (error) {
            if (error.code === 'ABBE_ERR_UNSUPPORTED') return false;
            throw error;
        }
    }

    // A picture and its excerpt take turns, so that two are kept.
    #followedFor(grid) {
        const key = JSON.stringify(grid),
            kept = this.#followed.get(key) ?? { mask: new Mask(grid), plan: null, key: '', params: null };
        this.#followed.delete(key);
        this.#followed.set(key, kept); // the latest is the last
        for (const [other, { plan }] of this.#followed)
            if (this.#followed.size > 2) (plan?.dispose(), this.#followed.delete(other));
        return kept;
    }

    /** Forgets what was kept for the picture. */
    rest() {
        for (const { plan } of this.#followed.values()) plan?.dispose();
        this.#followed.clear();
        this.#prefiltered = {};
    }

    /** Filters a small picture, so that the browser compiles what the next one needs. */
    warm() {
        const picture = { width: 240, height: 180, channels: 3, data: new Uint8Array(240 * 180 * 3) },
            stroke = {
                tool: 'dots',
                action: 'remove',
                gain: 1,
                radius: 0.05,
                softness: 0.6,
                points: [0.2, 0.1],
            };
        for (const changes of [{ strokes: [stroke] }, { filter: 'gaussian:sigma=3' }])
            this.run(changed(EMPTY, changes), picture);
    }

    /** What the devices predict and take: [{ device, candidates, running }]. */
    measure(document, picture) {
        const grid = gridFor(picture),
            values = paint(document.strokes, grid, document.keepsMean);
        return [this.#cpu, this.#gpu?.device].filter(Boolean).map(device =>
            this.#withFilter(document, grid, values, (filter, constant) => {
                const params = planParams(document, picture, filter, constant);
                const runs = [1, 2, 3].map(() => this.#runOn(device, params, picture));
                return {
                    device: device.name,
                    candidates: runs[0].candidates,
                    running: Math.min(...runs.map(run => run.running)),
                };
            }),
        );
    }

    // A picture of many channels that needs too much memory is filtered channel by channel, with its alpha.
    #runOn(device, params, picture) {
        try {
            return this.#runWhole(device, params, picture);
        } catch (error) {
            if (error.code !== 'ABBE_ERR_MEMORY' || picture.channels < 3) throw error;
            return this.#runApart(device, params, picture);
        }
    }

    #runApart(device, params, picture) {
        const started = performance.now(),
            { width, height, channels, data } = picture,
            out = new data.constructor(data.length),
            alpha = hasAlpha(picture),
            plan = device.plan({ ...params, channels: alpha ? 2 : 1 });
        try {
            const planned = performance.now();
            for (let c = 0; c < 3; c++) {
                const part = samples => ({
                    data: samples,
                    width,
                    height,
                    channels: alpha ? 2 : 1,
                    offset: c,
                    pixelStride: channels,
                    stride: width * channels,
                    channelStride: 3 - c,
                });
                plan.run(part(data), part(out));
            }
            return this.#told(plan, params, { ...picture, data: out }, started, planned);
        } finally {
            plan.dispose();
        }
    }

    #runWhole(device, params, picture) {
        const started = performance.now(),
            plan = device.plan(params);
        try {
            return this.#timed(plan, params, picture, started);
        } finally {
            plan.dispose();
        }
    }

    #timed(plan, params, picture, started) {
        const planned = performance.now();
        return this.#told(plan, params, { ...picture, data: plan.run(picture.data) }, started, planned);
    }

    #told(plan, params, result, started, planned) {
        return {
            ...result,
            planning: planned - started,
            running: performance.now() - planned,
            candidates: plan.explain(),
            offset: params.offset,
            device: plan.device.name,
        };
    }

    /**
     * Filters an excerpt. The text acts on the whole picture first, once, because its lengths are in the
     * picture's pixels.
     */
    preview(document, picture, excerpt) {
        const { strokes, ...rest } = document,
            key = JSON.stringify(rest);
        let source = picture;
        if (document.filter.trim() && strokes.length) {
            if (this.#prefiltered.picture !== picture || this.#prefiltered.key !== key)
                this.#prefiltered = {
                    picture,
                    key,
                    result: this.run({ ...document, strokes: [] }, picture),
                };
            source = this.#prefiltered.result;
        }
        if (this.#prefiltered.source !== source || this.#prefiltered.excerptKey !== JSON.stringify(excerpt))
            Object.assign(this.#prefiltered, {
                source,
                excerptKey: JSON.stringify(excerpt),
                part: average(source, excerpt),
            });
        return this.follow(
            { ...document, filter: strokes.length ? '' : document.filter },
            this.#prefiltered.part,
            excerptGrid(excerpt),
        );
    }

    /** What one bright point becomes: the kernel, size × size, its centre in the middle. */
    kernel(document, size) {
        const data = new Float32Array(size * size),
            middle = size / 2;
        data[middle * size + middle] = 1;
        const grid = maskGrid(size, size),
            values = paint(document.strokes, grid, document.keepsMean);
        return this.#withFilter(document, grid, values, filter => {
            const plan = this.#cpu.plan({
                width: size,
                height: size,
                channels: 1,
                type: 'f32',
                filters: [filter],
                border: 'wrap',
                method: 'fft',
            });
            try {
                return plan.run(data);
            } finally {
                plan.dispose();
            }
        });
    }

    peaks(picture) {
        const colours = picture.channels > 2 ? 3 : 1;
        return this.#cpu.peaks({
            data: picture.data,
            width: picture.width,
            height: picture.height,
            channels: colours,
            pixelStride: picture.channels,
        });
    }

    /**
     * A picture of the magnitudes of one and the phases of another of the same size, or phases by chance.
     */
    mix(magnitudes, phases) {
        const { width, height } = magnitudes,
            count = width * height,
            data = new Uint8Array(3 * count);
        const chance = phases ? null : this.#planeOf({ width, height, data: noise(3 * count) }, 0);
        for (let c = 0; c < 3; c++) {
            const from = this.#planeOf(magnitudes, c),
                at = chance ?? this.#planeOf(phases, c);
            for (let i = 2; i < from.length; i += 2) {
                const scale = Math.hypot(from[i], from[i + 1]) / (Math.hypot(at[i], at[i + 1]) || 1);
                from[i] = at[i] * scale;
                from[i + 1] = at[i + 1] * scale;
            }
            const back = this.#cpu.fft(width, height, from, { inverse: true });
            for (let i = 0; i < count; i++)
                data[3 * i + c] = Math.round(255 * Math.min(Math.max(back[2 * i], 0), 1));
        }
        return { width, height, channels: 3, data };
    }

    // The spectrum of one channel of an opaque picture.
    #planeOf({ width, height, data }, c) {
        const samples = new Float32Array(2 * width * height);
        for (let i = 0; i < width * height; i++) samples[2 * i] = data[3 * i + c] / 255;
        return this.#cpu.fft(width, height, samples);
    }

    /**
     * Logarithmic magnitudes and phases, as bytes, zero frequency in the middle. Of large pictures, those of
     * the middle.
     */
    spectrum(picture, most = 2048) {
        const width = Math.min(picture.width, most),
            height = Math.min(picture.height, most),
            count = width * height;
        const left = (picture.width - width) >> 1,
            top = (picture.height - height) >> 1;
        const samples = new Float32Array(2 * count),
            { channels, data } = picture,
            scale = 1 / (data instanceof Uint16Array ? 65535 : 255);
        for (let y = 0, o = 0; y < height; y++)
            for (
                let x = 0, i = ((top + y) * picture.width + left) * channels;
                x < width;
                x++, i += channels, o += 2
            )
                samples[o] =
                    scale *
                    (channels > 2 ? 0.2126 * data[i] + 0.7152 * data[i + 1] + 0.0722 * data[i + 2] : data[i]);
        const complex = this.#cpu.fft(width, height, samples);
        return { width, height, ...levels(complex, width, height) };
    }
}

// White noise, the same every time.
function noise(count) {
    let state = 1;
    return Uint8Array.from({ length: count }, () => {
        state = (state + 0x6d2b79f5) | 0;
        const mixed = Math.imul(state ^ (state >>> 15), state | 1);
        return (mixed ^ (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61))) >>> 24;
    });
}

const DECADES = 5;

function levels(complex, width, height) {
    const magnitude = new Uint8Array(width * height),
        phase = new Uint8Array(width * height);
    let strongest = 1e-30;
    for (let i = 2; i < complex.length; i += 2)
        strongest = Math.max(strongest, complex[i] ** 2 + complex[i + 1] ** 2);
    for (let v = 0; v < height; v++) {
        const row = ((v + (height >> 1)) % height) * width;
        for (let u = 0; u < width; u++) {
            const i = 2 * (v * width + u),
                o = row + ((u + (width >> 1)) % width),
                re = complex[i],
                im = complex[i + 1];
            const level = 1 + Math.log10((re * re + im * im) / strongest + 1e-20) / 2 / DECADES;
            magnitude[o] = 255 * Math.min(Math.max(level, 0), 1);
            phase[o] = Math.round((Math.atan2(im, re) / (2 * Math.PI) + 0.5) * 255);
        }
    }
    return { magnitude, phase };
}
