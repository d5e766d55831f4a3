// The package in node, against sums in double precision.
import assert from 'node:assert/strict';
import { pathToFileURL } from 'node:url';
import test from 'node:test';
import { borderIndex, convolve, dft, filterSpectrum, random, relativeError } from './oracle.js';

const { open, AbbeError } = await import(pathToFileURL(`${process.env.ABBE_WEB_PACKAGE}/index.js`));
const abbe = await open();
const cpu = abbe.device('cpu');

/** Random samples of 0 … 1 in a packed picture. */
const noise = (count, seed = 1) => Float32Array.from({ length: count }, random(seed));
const taps = (width, height, seed) => {
    const next = random(seed),
        values = Array.from({ length: width * height }, () => Math.fround(next() - 0.3));
    return { width, height, values };
};
const SHAPES = [
    [1, 1],
    [1, 13],
    [17, 1],
    [2, 3],
    [7, 7],
    [16, 12],
    [31, 23],
    [40, 33],
];

for (const level of ['cpu', 'cpu:plain', 'cpu:baseline'])
    test(`${level}: kernels by every method, border and shape`, () => {
        const device = abbe.device(level);
        for (const [width, height] of SHAPES)
            for (const border of abbe.borders)
                for (const [kw, kh] of [
                    [1, 1],
                    [3, 5],
                    [9, 4],
                ]) {
                    const kernel = taps(kw, kh, width + kw),
                        source = noise(width * height * 3, height);
                    const want = convolve(source, width, height, 3, kernel, border, 0.25);
                    const filter = abbe.kernel(kernel);
                    for (const method of ['direct', 'separable', 'fft', 'tiles']) {
                        const make = () =>
                            device.plan({
                                width,
                                height,
                                channels: 3,
                                type: 'f32',
                                filters: [filter],
                                border,
                                borderValue: border === 'constant' ? 0.25 : 0,
                                method,
                            });
                        if (method === 'separable' && kw > 1)
                            try {
                                make().dispose();
                            } catch (error) {
                                // a random kernel may have too many terms
                                assert.equal(error.code, 'ABBE_ERR_UNSUPPORTED');
                                continue;
                            }
                        const plan = make(),
                            got = plan.run(source);
                        const reference =
                            border === 'zero' ? convolve(source, width, height, 3, kernel, border, 0) : want;
                        const norm = Math.hypot(...source),
                            peak = kernel.values.reduce((sum, tap) => sum + Math.abs(tap), 0);
                        const error = Math.hypot(...got.map((x, i) => x - reference[i])) / (norm * peak);
                        assert.ok(
                            error <= 2e-6,
                            `${level} ${width}×${height} ${border} ${kw}×${kh} ${method}: ${error}`,
                        );
                        plan.dispose();
                    }
                    filter.dispose();
                }
        device.dispose();
    });

test('named filters are their formulas', () => {
    const width = 29,
        height = 18,
        source = noise(width * height, 3),
        sigma = 1.7,
        radius = Math.ceil(4 * sigma);
    const line = Array.from({ length: 2 * radius + 1 }, (_, i) =>
        Math.exp(-((i - radius) ** 2) / (2 * sigma ** 2)),
    );
    const sum = line.reduce((a, b) => a + b);
    const kernel = {
        width: line.length,
        height: line.length,
        values: line.flatMap(a => line.map(b => (a * b) / sum / sum)),
    };
    const got = cpu
        .plan({ width, height, channels: 1, type: 'f32', filters: [`gaussian:sigma=${sigma}`] })
        .run(source);
    assert.ok(relativeError(got, convolve(source, width, height, 1, kernel, 'reflect')) < 1e-6);
});

test('masks and gains multiply the spectrum', () => {
    for (const [width, height] of [
        [12, 9],
        [15, 16],
        [1, 8],
        [7, 5],
    ]) {
        const source = noise(width * height, width),
            next = random(height);
        const mask = { width, height, values: Array.from({ length: width * height }, next) };
        const at = (u, v) =>
            mask.values[
                (((height >> 1) + v + height) % height) * width + (((width >> 1) + u + width) % width)
            ];
        // Upward frequencies are at the top of a mask, and v points down: column u + w/2, row v + h/2.
        const masked = (u, v) => [(at(u, v) + at(-u, -v)) / 2, 0];
        const plan = filter =>
            cpu.plan({ width, height, channels: 1, type: 'f32', border: 'wrap', filters: [filter] });
        const got = plan(abbe.mask(mask)).run(source);
        assert.ok(
            relativeError(got, filterSpectrum(width, height, source, masked)) < 3e-6,
            `mask ${width}×${height}`,
        );
        const gains = Float64Array.from({ length: 2 * width * height }, () => next() - 0.5);
        const complex = (u, v) => {
            const k = 2 * (v * width + u),
                l = 2 * (((height - v) % height) * width + ((width - u) % width));
            return [(gains[k] + gains[l]) / 2, (gains[k + 1] - gains[l + 1]) / 2];
        };
        const other = plan(abbe.gains(width, height, gains)).run(source);
        assert.ok(
            relativeError(other, filterSpectrum(width, height, source, complex)) < 3e-6,
            `gains ${width}×${height}`,
        );
    }
});

const ROUND = { u8: 255, u16: 65535, i16: 32767, u32: 2 ** 32 - 1, i32: 2 ** 31 - 1 };
const ARRAYS = {
    u8: Uint8Array,
    u16: Uint16Array,
    i16: Int16Array,
    u32: Uint32Array,
    i32: Int32Array,
    f32: Float32Array,
    f64: Float64Array,
};

test('every type of sample', () => {
    const width = 19,
        height = 14,
        kernel = { width: 3, height: 3, values: [1, 2, 1, 2, 4, 2, 1, 2, 1].map(x => x / 16) };
    for (const [type, Array] of Object.entries(ARRAYS)) {
        const scale = ROUND[type] ?? 1,
            source = Array.from(noise(width * height * 4, 5), x =>
                type[0] === 'f' ? x : Math.floor(x * scale),
            );
        const got = cpu
            .plan({
                width,
                height,
                type,
                filters: [abbe.kernel(kernel)],
                precision: type === 'f64' || scale > 65535 ? 'double' : 'full',
            })
            .run(source);
        assert.ok(got instanceof Array);
        const want = convolve(source, width, height, 4, kernel, 'reflect');
        for (let i = 0; i < want.length; i++)
            assert.ok(
                Math.abs(got[i] - want[i]) <= (type === 'f32' ? 1e-6 : type === 'f64' ? 1e-14 : 0.5001),
                `${type} ${i}: ${got[i]} ${want[i]}`,
            );
    }
    const halves = Uint16Array.from({ length: width * height }, (_, i) => 0x3800 + i); // 0.5 and above
    const value = half => 2 ** ((half >> 10) - 15) * (1 + (half & 1023) / 1024);
    const got = cpu
        .plan({ width, height, channels: 1, type: 'f16', filters: [abbe.kernel(kernel)] })
        .run({ data: halves, width, height, type: 'f16' });
    const want = convolve(Array.from(halves, value), width, height, 1, kernel, 'reflect');
    const read = got instanceof Uint16Array ? Array.from(got, value) : Array.from(got);
    assert.ok(relativeError(read, want) < 5e-4);
});

test('every layout of samples', () => {
    const width = 13,
        height = 9,
        channels = 3,
        kernel = taps(3, 3, 2),
        source = noise(width * height * channels, 8);
    const want = convolve(source, width, height, channels, kernel, 'reflect');
    const plan = cpu.plan({ width, height, channels, type: 'f32', filters: [abbe.kernel(kernel)] });
    const layouts = {
        packed: { stride: 39, pixelStride: 3, channelStride: 1, offset: 0 },
        padded: { stride: 50, pixelStride: 3, channelStride: 1, offset: 4 },
        gaps: { stride: 60, pixelStride: 4, channelStride: 1, offset: 1 },
        planes: { stride: 13, pixelStride: 1, channelStride: 13 * 9, offset: 0 },
        'upside down': { stride: -39, pixelStride: 3, channelStride: 1, offset: 39 * 8 },
        'right to left': { stride: 39, pixelStride: -3, channelStride: 1, offset: 36 },
        BGR: { stride: 39, pixelStride: 3, channelStride: -1, offset: 2 },
        columns: { stride: 3, pixelStride: 27, channelStride: 1, offset: 0 },
    };
    const place = ({ offset, stride, pixelStride, channelStride }, i) =>
        offset +
        Math.floor(i / 39) * stride +
        (Math.floor(i / 3) % 13) * pixelStride +
        (i % 3) * channelStride;
    for (const [from, a] of Object.entries(layouts))
        for (const [to, b] of Object.entries(layouts)) {
            const data = new Float32Array(600).fill(7),
                result = new Float32Array(600).fill(9);
            source.forEach((sample, i) => {
                data[place(a, i)] = sample;
            });
            plan.run(
                { data, width, height, channels, ...a },
                { data: result, width, height, channels, ...b },
            );
            const places = new Set(Array.from(want, (_, i) => place(b, i)));
            result.forEach((sample, i) =>
                assert.ok(places.has(i) || sample === 9, `${from} to ${to}: sample ${i} was written`),
            );
            assert.ok(
                relativeError(
                    Array.from(want, (_, i) => result[place(b, i)]),
                    want,
                ) < 2e-6,
                `${from} to ${to}`,
            );
        }
    const place2 = Float32Array.from(source);
    plan.run(place2, place2);
    assert.ok(relativeError(place2, want) < 2e-6, 'in place');
    const shared = new Float32Array(source.length + 3);
    shared.set(source);
    assert.throws(() => plan.run(shared.subarray(0, source.length), shared.subarray(3)), {
        code: 'ABBE_ERR_INVALID',
    });
});

test('three channels of an ImageData leave its alpha', () => {
    const data = Uint8ClampedArray.from({ length: 5 * 4 * 4 }, (_, i) => i * 3);
    const before = data.slice(),
        image = { data, width: 5, height: 4 };
    cpu.plan({ width: 5, height: 4, channels: 3, filters: ['box:radius=1'] }).run(image, image);
    const rgb = before.filter((_, i) => i % 4 < 3),
        ninth = { width: 3, height: 3, values: new Array(9).fill(1 / 9) };
    const want = convolve(rgb, 5, 4, 3, ninth, 'reflect');
    data.forEach((sample, i) =>
        assert.ok(
            i % 4 === 3 ? sample === before[i] : Math.abs(sample - want[(i >> 2) * 3 + (i % 4)]) < 0.51,
        ),
    );
});

test('banks, windows, offset, correlation, chains', () => {
    const width = 20,
        height = 15,
        kernel = taps(5, 3, 4),
        source = noise(width * height, 6);
    const [soft, sharp] = cpu
        .plan({ width, height, channels: 1, type: 'f32', filters: [abbe.kernel(kernel), 'identity'] })
        .run(source);
    assert.ok(relativeError(soft, convolve(source, width, height, 1, kernel, 'reflect')) < 2e-6);
    assert.ok(relativeError(sharp, source) < 1e-6);
    const valid = cpu.plan({
        width,
        height,
        channels: 1,
        type: 'f32',
        filters: [abbe.kernel(kernel)],
        window: 'valid',
    });
    assert.deepEqual(valid.result, { width: 16, height: 13, x: 2, y: 1 });
    const whole = convolve(source, width, height, 1, kernel, 'zero');
    const inner = Array.from(
        { length: 16 * 13 },
        (_, i) => whole[(Math.floor(i / 16) + 1) * width + (i % 16) + 2],
    );
    assert.ok(relativeError(valid.run(source), inner) < 2e-6);
    const part = cpu.plan({
        width,
        height,
        channels: 1,
        type: 'f32',
        filters: ['identity'],
        window: [3, 2, 4, 5],
        offset: 0.5,
    });
    assert.ok(
        relativeError(
            part.run(source),
            Array.from({ length: 20 }, (_, i) => source[(2 + (i >> 2)) * width + 3 + (i % 4)] + 0.5),
        ) < 1e-6,
    );
    const flipped = { ...kernel, values: [...kernel.values].reverse() };
    const correlated = cpu
        .plan({ width, height, channels: 1, type: 'f32', filters: [abbe.kernel(kernel)], correlate: true })
        .run(source);
    assert.ok(relativeError(correlated, convolve(source, width, height, 1, flipped, 'reflect')) < 2e-6);
    const twice = abbe.chain([abbe.separable([1, 2, 1], [1, 1, 1], { normalize: true }), 'identity']);
    const box = { width: 3, height: 3, values: [1, 2, 1, 1, 2, 1, 1, 2, 1].map(x => x / 12) };
    const chained = cpu.plan({ width, height, channels: 1, type: 'f32', filters: [twice] }).run(source);
    assert.ok(relativeError(chained, convolve(source, width, height, 1, box, 'reflect')) < 2e-6);
});

test('filters describe themselves', () => {
    const filter = abbe.kernel({ width: 3, height: 2, values: [1, 2, 3, 4, 5, 6] }, { centre: [0, 1] });
    assert.deepEqual(filter.info, {
        components: 1,
        inFrequency: false,
        width: 3,
        height: 2,
        centreX: 0,
        centreY: 1,
    });
    assert.deepEqual([...filter.taps().values], [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(filter.reach(), { left: 2, right: 0, up: 0, down: 1 });
    const [re, im] = filter.gain(0.1, 0.2);
    let wantRe = 0,
        wantIm = 0;
    for (let j = 0; j < 2; j++)
        for (let i = 0; i < 3; i++) {
            const angle = -2 * Math.PI * (0.1 * i + 0.2 * (j - 1));
            wantRe += (3 * j + i + 1) * Math.cos(angle);
            wantIm += (3 * j + i + 1) * Math.sin(angle);
        }
    assert.ok(Math.abs(re - wantRe) < 1e-12 && Math.abs(im - wantIm) < 1e-12);
    assert.ok(abbe.filter('lowpass').info.inFrequency);
    assert.equal(abbe.filter('sobel').info.components, 2);
});

test('the catalogue has keys with ranges, and every default parses', () => {
    const catalogue = abbe.catalogue(),
        names = catalogue.map(entry => entry.name);
    for (const name of ['identity', 'gaussian', 'lowpass', 'notch', 'kernel', 'mask'])
        assert.ok(names.includes(name), name);
    const sigma = catalogue.find(entry => entry.name === 'gaussian').keys.find(key => key.name === 'sigma');
    assert.deepEqual([sigma.type, sigma.default, sigma.unit, sigma.choices], ['number', '2', 'pixels', []]);
    assert.ok(sigma.min > 0 && sigma.max > sigma.min);
    for (const entry of catalogue)
        for (const key of entry.keys) {
            assert.ok(['number', 'integer', 'frequency', 'choice', 'list', 'file'].includes(key.type));
            assert.ok(key.type !== 'choice' || key.choices.length > 1);
        }
    for (const entry of catalogue.filter(one => one.keys.every(key => key.default ?? key.follows)))
        abbe.filter(entry.name).dispose();
});

test('files of filters come from the application', () => {
    const asked = [];
    const load = (filter, name) => {
        asked.push([filter, name]);
        return { width: 3, height: 1, values: [1, 2, 1] };
    };
    const filter = abbe.filter('kernel:file=lines.txt', { load });
    assert.deepEqual(asked, [['kernel', 'lines.txt']]);
    assert.deepEqual([...filter.taps().values], [0.25, 0.5, 0.25]);
    assert.throws(
        () =>
            abbe.filter('kernel:file=x', {
                load() {
                    throw new RangeError('not here');
                },
            }),
        RangeError,
    );
    assert.throws(() => abbe.filter('kernel:file=x'), AbbeError);
    assert.deepEqual(
        { ...abbe.matrix('1 2\n3 4 # comment\n'), values: [1, 2, 3, 4] },
        { width: 2, height: 2, values: [1, 2, 3, 4] },
    );
});

test('transforms and spectra', () => {
    for (const [width, height] of [
        [8, 4],
        [7, 9],
        [1, 5],
        [13, 1],
    ]) {
        const samples = noise(2 * width * height, width);
        const want = dft(width, height, samples),
            got = cpu.fft(width, height, samples);
        assert.ok(relativeError(got, want) < 1e-6, `${width}×${height}`);
        assert.ok(relativeError(cpu.fft(width, height, got, { inverse: true }), samples) < 1e-6);
        const picture = { data: noise(width * height * 3, 2), width, height, channels: 3 };
        const packed = cpu.spectrum(picture);
        assert.deepEqual(
            [packed.type, packed.width, packed.height, packed.channels],
            ['f32', width, height, 3],
        );
        for (let c = 0; c < 3; c++) {
            const mean =
                picture.data.filter((_, i) => i % 3 === c).reduce((a, b) => a + b) / (width * height);
            assert.ok(Math.abs(packed.data[c] - mean) < 1e-6, 'frequency 0 is the mean');
        }
        assert.ok(relativeError(cpu.ispectrum(packed).data, picture.data) < 1e-6);
        const bytes = cpu.ispectrum(packed, 'u8').data;
        assert.ok(
            bytes instanceof Uint8Array && bytes.every((x, i) => Math.abs(x - 255 * picture.data[i]) < 0.51),
        );
    }
});

test('peaks are where the waves are', () => {
    const width = 128,
        height = 96,
        next = random(9);
    const data = Float32Array.from(
        { length: width * height },
        (_, i) =>
            0.5 +
            0.2 * Math.cos(Math.PI * (0.25 * (i % width) - 0.5 * Math.floor(i / width))) +
            0.01 * next(),
    );
    const [peak, ...others] = cpu.peaks({ data, width, height });
    assert.ok(
        Math.abs(peak.x - 0.25) < 0.01 &&
            Math.abs(peak.y + 0.5) < 0.01 &&
            Math.abs(peak.amplitude - 0.2) < 0.02,
    );
    assert.equal(others.length, 0);
});

test('plans explain themselves', () => {
    const plan = cpu.plan({ width: 640, height: 480, filters: ['gaussian:sigma=30'] });
    const list = plan.explain(),
        chosen = list.filter(one => one.chosen);
    assert.deepEqual(
        list.map(({ method, even }) => (even ? `${method}, even` : method)),
        ['direct', 'separable', 'fft, even', 'fft', 'tiles'],
    );
    assert.equal(chosen.length, 1);
    for (const one of list)
        assert.ok(
            one.possible ? one.seconds > 0 && one.seconds >= chosen[0].seconds * 0.999 : one.reason,
            one.method,
        );
    assert.ok(plan.memory > 640 * 480 && plan.device.name === 'cpu');
});

test('one call', () => {
    const width = 11,
        height = 6,
        source = noise(width * height * 2, 7);
    const result = cpu.apply('box:radius=1', { data: source, width, height }, { border: 'clamp' });
    const ninth = { width: 3, height: 3, values: new Array(9).fill(1 / 9) };
    assert.ok(relativeError(result.data, convolve(source, width, height, 2, ninth, 'clamp')) < 1e-6);
});

test('errors are exceptions with code and message', () => {
    const fails = (code, call, message) =>
        assert.throws(
            call,
            error =>
                error instanceof AbbeError &&
                error.code === code &&
                error.message.length > 5 &&
                (!message || error.message.includes(message)),
        );
    fails('ABBE_ERR_SYNTAX', () => abbe.filter('gausian:sigma=3'), "'gaussian'");
    fails('ABBE_ERR_RANGE', () => abbe.filter('gaussian:sigma=-1'));
    fails('ABBE_ERR_UNSUPPORTED', () => abbe.device('vulkan'));
    fails('ABBE_ERR_UNSUPPORTED', () => abbe.device('gl'));
    fails('ABBE_ERR_INVALID', () => abbe.device({}));
    fails('ABBE_ERR_INVALID', () => abbe.kernel({ width: 2, height: 2, values: [1, 2, 3] }));
    fails('ABBE_ERR_INVALID', () => abbe.kernel({ width: 1 << 20, height: 0, values: [] }));
    fails('ABBE_ERR_SIZE', () =>
        abbe.kernel({ width: 1 << 18, height: 1, values: new Float32Array(1 << 18) }),
    );
});

test('bad pictures and plans are refused', () => {
    const fails = (call, code = 'ABBE_ERR_INVALID') => assert.throws(call, { name: 'AbbeError', code });
    const plan = cpu.plan({ width: 4, height: 3, channels: 2, filters: ['identity'] });
    const good = new Uint8Array(24);
    fails(() => plan.run(new Uint8Array(23)));
    fails(() => plan.run(new Uint16Array(24)));
    fails(() => plan.run([1, 2, 3]));
    fails(() => plan.run(null));
    fails(() => plan.run(good, [good, good]));
    fails(() => plan.run({ data: good, width: 4, height: 3, channels: 2, stride: 9 }));
    fails(() => plan.run({ data: good, width: 4, height: 3, channels: 2, stride: -8 }));
    fails(() => plan.run({ data: good, width: 3, height: 4, channels: 2 }));
    fails(() => plan.filterTexture({}, {}));
    for (const [key, value] of Object.entries({
        width: 0,
        height: 1.5,
        channels: 65,
        type: 'u7',
        border: 'wall',
        method: 'magic',
        alpha: 'x',
        filters: [],
        window: [0, 0, 0, 0],
    }))
        fails(() => cpu.plan({ width: 4, height: 3, filters: ['identity'], [key]: value }));
    fails(
        () =>
            cpu
                .plan({ width: 4, height: 3, type: 'f32', filters: ['identity'] })
                .run(new Float32Array(48).fill(NaN)),
        'ABBE_ERR_NONFINITE',
    );
    fails(() => cpu.plan({ width: 2 ** 30 + 1, height: 1, filters: ['gaussian'] }), 'ABBE_ERR_SIZE');
    fails(() =>
        cpu
            .plan({ width: 4, height: 1, channels: 1, filters: ['box'] })
            .run({ data: good, width: 4, height: 1, channels: 1, stride: 2 ** 33 }),
    );
    fails(
        () => cpu.plan({ width: 11000, height: 11000, filters: ['gaussian:sigma=12'], method: 'fft' }),
        'ABBE_ERR_MEMORY',
    );
});

test('what was disposed of is refused, and nothing leaks', () => {
    const filter = abbe.filter('box'),
        device = abbe.device(),
        plan = device.plan({ width: 9, height: 9, filters: [filter] });
    filter.dispose();
    filter.dispose();
    plan[Symbol.dispose]();
    device.dispose();
    for (const call of [
        () => filter.info,
        () => plan.run(new Uint8Array(324)),
        () => device.plan({ width: 1, height: 1, filters: ['box'] }),
    ])
        assert.throws(call, { code: 'ABBE_ERR_INVALID' });
});

test('filters of a plan are replaced', () => {
    const width = 23,
        height = 16,
        source = noise(width * height, 8);
    const plan = cpu.plan({ width, height, channels: 1, type: 'f32', filters: ['identity'], border: 'wrap' });
    for (const [kw, kh] of [
        [3, 3],
        [9, 5],
        [1, 1],
    ]) {
        const kernel = taps(kw, kh, kw);
        plan.replace([abbe.kernel(kernel)]);
        assert.ok(
            relativeError(plan.run(source), convolve(source, width, height, 1, kernel, 'wrap')) < 1e-5,
            `${kw}×${kh}`,
        );
    }
    assert.throws(() => plan.replace(['nothing']), { code: 'ABBE_ERR_SYNTAX' });
    assert.ok(plan.run(source).length === source.length, 'the plan is as it was');
    plan.replace(['identity', 'identity']);
    assert.equal(plan.run(source).length, 2);
});

test('a mask is painted on', () => {
    const width = 24,
        height = 16,
        source = Float32Array.from({ length: width * height }, (_, i) => Math.sin(i * i)),
        values = Float64Array.from({ length: width * height }, (_, i) => 0.2 + ((i * 7) % 11) / 11),
        plan = cpu.plan({
            width,
            height,
            channels: 1,
            type: 'f32',
            filters: [abbe.mask({ width, height, values })],
            border: 'wrap',
            method: 'fft',
        });
    plan.run(source);
    const gains = { width: 3, height: 2, values: [0, 2, 0.5, 1, 0, 3] },
        opposite = (i, length) => (2 * (length / 2) - i + length) % length;
    plan.repaint(gains, 15, 3);
    for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
            const here = y * width + x,
                there = opposite(y, height) * width + opposite(x, width);
            values[here] = values[there] = 0.5 * (values[here] + values[there]);
        }
    gains.values.forEach((gain, i) => {
        const x = 15 + (i % 3),
            y = 3 + Math.floor(i / 3);
        values[y * width + x] = values[opposite(y, height) * width + opposite(x, width)] = gain;
    });
    // The naive transform of the picture times the gains, one frequency after the other.
    const expected = new Float64Array(width * height);
    for (let v = 0; v < height; v++)
        for (let u = 0; u < width; u++) {
            let re = 0,
                im = 0;
            const angle = (x, y) =>
                2 * Math.PI * (((u - width / 2) * x) / width + ((v - height / 2) * y) / height);
            for (let i = 0; i < source.length; i++) {
                const a = angle(i % width, Math.floor(i / width));
                re += source[i] * Math.cos(a);
                im -= source[i] * Math.sin(a);
            }
            const gain = values[v * width + u] / source.length;
            for (let i = 0; i < source.length; i++) {
                const a = angle(i % width, Math.floor(i / width));
                expected[i] += gain * (re * Math.cos(a) - im * Math.sin(a));
            }
        }
    assert.ok(relativeError(plan.run(source), expected) < 1e-5);
    assert.throws(() => plan.repaint(gains, 23, 3), { code: 'ABBE_ERR_INVALID' });
    assert.throws(() => plan.repaint(gains, 11, 8), { code: 'ABBE_ERR_UNSUPPORTED' });
});

test('runs report progress and can be stopped', () => {
    const plan = cpu.plan({ width: 300, height: 300, filters: ['gaussian:sigma=9'] }),
        source = new Uint8Array(360000).fill(9);
    const seen = [];
    plan.run(source, null, {
        progress: done => {
            seen.push(done);
        },
    });
    assert.ok(seen.length > 1 && seen.every((x, i) => x >= 0 && x <= 1 && (!i || x >= seen[i - 1])));
    assert.throws(() => plan.run(source, null, { progress: () => true }), { code: 'ABBE_ERR_CANCELLED' });
    assert.throws(
        () =>
            plan.run(source, null, {
                progress() {
                    throw new TypeError('mine');
                },
            }),
        TypeError,
    );
    assert.ok(plan.run(source).every(x => x === 9));
});

test('modules are independent, and memory stays flat', async () => {
    const { readFile } = await import('node:fs/promises');
    const bytes = await readFile(`${process.env.ABBE_WEB_PACKAGE}/abbe.wasm`),
        other = await open({ wasm: bytes });
    assert.equal(other.version, abbe.version);
    const device = other.device(),
        source = new Uint8Array(64 * 64 * 4).map((_, i) => i);
    let before = 0;
    for (let i = 0; i < 300; i++) {
        const plan = device.plan({ width: 64, height: 64, filters: ['gaussian:sigma=5', 'unsharp'] });
        plan.run(source);
        plan.dispose();
        assert.throws(() => other.filter('nothing'));
        const top = other.memory;
        before ||= i === 50 ? top : 0;
        assert.ok(i <= 50 || top === before, `${top} bytes after ${i} plans, ${before} before`);
    }
});
