// Parts of the page that need no browser: strokes against their definition, links, completion, excerpts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SITE, module } from './page.js';

const { Mask, paint } = await module('mask.js'),
    { maskGrid } = await module('strokes.js'),
    link = await module('link.js'),
    doc = await module('document.js');
const { choose, average, excerptGrid, fastLength } = await module('excerpt.js'),
    { completionsFor, withKey, wordAt } = await module('filterfield.js');
const { sniff } = await module('decode.js');

const stroke = (tool, points, more = {}) => ({
    tool,
    points,
    action: 'remove',
    gain: 1,
    radius: 0.05,
    softness: 0.5,
    ...more,
});

// How much of a frequency a dot paints, by its definition: whole up to half the radius, none beyond it.
function share(distance, radius, softness) {
    const t = Math.min(Math.max((radius - distance) / (softness * radius), 0), 1);
    return t * t * (3 - 2 * t);
}

test('a dot is painted at both points, at every size and parity', () => {
    for (const [width, height] of [
        [32, 32],
        [33, 20],
        [1, 40],
        [17, 1],
        [64, 48],
    ]) {
        const grid = maskGrid(width, height),
            gains = paint([stroke('dots', [0.2, -0.1], { radius: 0.15, softness: 0.8 })], grid);
        for (let y = 0; y < height; y++)
            for (let x = 0; x < width; x++) {
                const u = (x - Math.floor(width / 2)) / width,
                    v = (y - Math.floor(height / 2)) / height;
                let painted = 0; // +0.5 and −0.5 are one frequency
                for (const sign of [1, -1])
                    for (const du of u === -0.5 ? [0, 1] : [0])
                        for (const dv of v === -0.5 ? [0, 1] : [0])
                            painted = Math.max(
                                painted,
                                share(Math.hypot(sign * (u + du) - 0.2, sign * (v + dv) + 0.1), 0.15, 0.8),
                            );
                const fade = Math.max(grid.dx, grid.dy) < 0.8 * 0.15;
                if (fade)
                    assert.ok(
                        Math.abs(gains[y * width + x] - (1 - painted)) < 1e-6,
                        `${width}×${height} at ${x}, ${y}: ${gains[y * width + x]}, not ${1 - painted}`,
                    );
            }
    }
});

test('every tool paints what it names, symmetrically', () => {
    const size = 64,
        grid = maskGrid(size, size),
        at = (gains, u, v) => gains[Math.round((v + 0.5) * size) * size + Math.round((u + 0.5) * size)];
    const shapes = {
        brush: [
            [0.1, 0, 0.2, 0.1, 0.3, 0],
            [0.2, 0.1],
            [-0.3, 0.3],
        ],
        line: [
            [-0.2, -0.2, 0.3, 0.1],
            [0.05, -0.05],
            [0.3, -0.3],
        ],
        ring: [
            [0.2, 0, 0.3, 0],
            [0, 0.25],
            [0.05, 0.05],
        ],
        wedge: [
            [0.1, -0.02, 0.1, 0.02],
            [0.4, 0],
            [0, 0.4],
        ],
        lasso: [
            [0.1, 0.1, 0.4, 0.1, 0.4, 0.4, 0.1, 0.4],
            [0.25, 0.25],
            [0.25, -0.25],
        ],
    };
    for (const [tool, [points, inside, outside]] of Object.entries(shapes)) {
        const gains = paint([stroke(tool, points, { radius: 0.03 })], grid);
        assert.equal(at(gains, ...inside), 0, tool);
        assert.equal(at(gains, ...outside), 1, tool);
        for (let y = 1; y < size; y++)
            for (let x = 1; x < size; x++)
                assert.equal(
                    gains[y * size + x],
                    gains[(size - y) * size + size - x],
                    `${tool} at ${x}, ${y}`,
                );
    }
});

test('actions follow one another', () => {
    const grid = maskGrid(64, 64),
        centre = 32 * 64 + 32,
        dot = (action, gain = 1) => stroke('dots', [0.25, 0], { action, gain, radius: 0.1 }),
        right = 32 * 64 + 48;
    assert.equal(paint([dot('scale', 3)], grid)[right], 3);
    assert.equal(paint([dot('scale', 3), dot('scale', 0.5)], grid)[right], 1.5);
    assert.equal(paint([dot('remove'), dot('restore')], grid)[right], 1);
    assert.equal(paint([dot('keep')], grid)[centre], 0);
    assert.equal(paint([dot('keep')], grid)[right], 1);
    assert.equal(paint([dot('keep')], grid, true)[centre], 1);
    assert.deepEqual([...new Set(paint([], grid))], [1]);
});

test('a mask that follows a hand is what all strokes give at once', () => {
    let state = 7;
    const random = () => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) / 2 ** 32,
        any = list => list[Math.floor(random() * list.length)];
    for (const grid of [maskGrid(48, 40), maskGrid(33, 50)]) {
        const mask = new Mask(grid);
        let strokes = [],
            values = Float32Array.from(mask.values);
        for (let i = 0; i < 300; i++) {
            const dice = random(),
                last = strokes.at(-1);
            if (dice < 0.15) strokes = strokes.slice(0, -1);
            else if (dice < 0.2) strokes = [];
            else if (dice < 0.6 && last)
                strokes = [
                    ...strokes.slice(0, -1),
                    { ...last, points: [...last.points, random() - 0.5, random() - 0.5] },
                ];
            else {
                const points = Array.from({ length: any([2, 4, 6]) }, () => random() - 0.5);
                strokes = [
                    ...strokes,
                    stroke(any(['brush', 'brush', 'line', 'ring', 'wedge', 'lasso', 'dots']), points, {
                        action: any(['remove', 'remove', 'scale', 'restore', 'keep']),
                        gain: 1.7,
                        radius: any([0.03, 0.1]),
                    }),
                ];
            }
            const keepsMean = random() < 0.5,
                region = mask.follow(structuredClone(strokes), keepsMean);
            assert.deepEqual(mask.values, paint(strokes, grid, keepsMean), `step ${i}`);
            for (let y = 0, at = 0; y < grid.height; y++)
                for (let x = 0; x < grid.width; x++, at++)
                    assert.ok(
                        values[at] === mask.values[at] ||
                            region.some(r => x >= r.left && x < r.right && y >= r.top && y < r.bottom),
                        `step ${i}: ${x}, ${y} changed beyond the region`,
                    );
            values = Float32Array.from(mask.values);
        }
    }
});

test('a stroke that grows is painted into the plan, and gives what a plan of all strokes gives', async () => {
    const { open } = await module('libabbe/index.js'),
        { Plan } = await module('libabbe/plan.js'),
        { Lens } = await module('lens.js'),
        lens = new Lens(await open({ wasm: await readFile(join(SITE, 'libabbe/abbe.wasm')) })),
        calls = { replace: 0, repaint: 0 };
    for (const name of Object.keys(calls)) {
        const own = Plan.prototype[name];
        Plan.prototype[name] = function (...given) {
            own.apply(this, given);
            calls[name]++;
        };
    }
    for (const [border, filter, channels] of [
        ['reflect', '', 3],
        ['wrap', 'gaussian:sigma=1', 4],
        ['mirror', '', 1],
    ]) {
        const picture = { width: 50, height: 37, channels, name: '' };
        picture.data = Uint8Array.from(
            { length: 50 * 37 * channels },
            (_, i) => Math.imul(i + 1, 40503) >>> 5,
        );
        let points = [0.1, 0.05];
        const first = stroke('line', [0.3, 0.2, 0.35, -0.1]);
        for (let i = 0; i < 20; i++) {
            points = [...points, 0.25 + 0.2 * Math.cos(i), 0.25 * Math.sin(i / 2)];
            const strokes = [
                    first,
                    stroke('brush', points, { radius: 0.03, action: i < 15 ? 'remove' : 'scale', gain: 2 }),
                ],
                document = doc.changed(doc.EMPTY, { strokes, border, filter }),
                { data } = lens.follow(document, picture),
                expected = lens.run(document, picture).data;
            assert.ok(
                data.every((level, k) => Math.abs(level - expected[k]) <= 1),
                `${border}, step ${i}`,
            );
        }
    }
    assert.ok(calls.repaint > 50 && calls.replace < 8, JSON.stringify(calls));
});

test('links bring back every stroke, and round once', () => {
    const strokes = ['dots', 'brush', 'line', 'ring', 'wedge', 'lasso'].map((tool, i) =>
        link.rounded(
            stroke(tool, [0.1234567, -0.2, 0.3, 0.49999, -0.5, 0.5], {
                action: ['remove', 'keep', 'scale', 'restore'][i % 4],
                gain: 2.5,
                softness: 0.37,
            }),
        ),
    );
    const document = doc.changed(doc.EMPTY, {
        strokes,
        filter: 'unsharp:sigma=2,gaussian',
        border: 'wrap',
        alpha: 'independent',
        linear: true,
        keepsMean: false,
    });
    const back = link.decode('#' + link.encode(document, 'print'));
    assert.equal(back.picture, 'print');
    assert.deepEqual(back.document, document);
    assert.deepEqual(strokes.map(link.rounded), strokes);
    assert.deepEqual(link.decode('').document, doc.EMPTY);
    let state = 1;
    for (let i = 0; i < 3000; i++) {
        // any text is a document or a LinkError, never another failure
        const text = Array.from(
            { length: 1 + (i % 40) },
            () => 'psfbaml=&%.-_0123xkdz'[(state = Math.imul(state, 48271) >>> 1) % 21],
        ).join('');
        try {
            link.decode('#' + text);
        } catch (error) {
            assert.ok(error instanceof link.LinkError, `${text}: ${error.stack}`);
        }
    }
});

test('history is immutable, and forgets what was undone', () => {
    let history = doc.begin();
    for (const filter of ['a', 'b', 'c'])
        history = doc.push(history, doc.changed(doc.present(history), { filter }));
    const before = history;
    history = doc.undo(doc.undo(history));
    assert.equal(doc.present(history).filter, 'a');
    assert.equal(doc.present(doc.redo(history)).filter, 'b');
    history = doc.push(history, doc.changed(doc.present(history), { filter: 'd' }));
    assert.equal(doc.redo(history), history);
    assert.equal(doc.present(before).filter, 'c');
    for (let i = 0; i < 2000; i++)
        history = doc.push(history, doc.changed(doc.present(history), { filter: String(i) }));
    assert.equal(history.list.length, 500);
    assert.throws(() => 'use strict' && doc.present(history).strokes.push(1), TypeError);
});

test('excerpts average what they cover, and their masks keep frequencies', () => {
    const picture = {
        width: 100,
        height: 60,
        channels: 2,
        data: Uint8Array.from({ length: 12000 }, (_, i) => (i * 31) & 255),
    };
    const excerpt = choose({ left: 10, top: 5, right: 90, bottom: 50 }, picture, 1, 800),
        part = average(picture, excerpt);
    assert.ok(
        part.width * part.height <= 800 * 1.3 &&
            excerpt.x <= 10 &&
            excerpt.x + excerpt.width * excerpt.stepX >= 90,
    );
    const whole = average(picture, { x: 0, y: 0, stepX: 100, stepY: 60, width: 1, height: 1 }),
        mean = picture.data.filter((_, i) => i % 2 === 0).reduce((a, b) => a + b) / 6000;
    assert.ok(Math.abs(whole.data[0] - mean) <= 0.5);
    const grid = excerptGrid({ width: 16, height: 16, stepX: 2, stepY: 4 });
    assert.deepEqual([grid.x, grid.y], [-0.25, -0.125]);
    assert.equal(fastLength(1021), 960);
});

test('completion knows where it is', () => {
    const catalogue = [
        {
            name: 'gaussian',
            summary: 'blur',
            keys: [
                { name: 'sigma', summary: 'width', type: 'number', default: '2', unit: null, choices: [] },
            ],
        },
        {
            name: 'butter',
            summary: 'x',
            keys: [
                {
                    name: 'shape',
                    summary: 's',
                    type: 'choice',
                    default: 'ideal',
                    unit: null,
                    choices: ['ideal', 'soft'],
                },
            ],
        },
    ];
    const titles = (text, caret = text.length) =>
        completionsFor(catalogue, wordAt(text, caret)).map(each => each.title);
    assert.deepEqual(titles('gau'), ['gaussian']);
    assert.deepEqual(titles('gaussian:'), ['sigma']);
    assert.deepEqual(titles('gaussian,bu'), ['butter']);
    assert.deepEqual(titles('butter:shape='), ['ideal', 'soft']);
    assert.deepEqual(titles('nothing:'), []);
    assert.equal(withKey('a:x=1,gaussian:sigma=2:y=3,b', 6, 'sigma', 5), 'a:x=1,gaussian:sigma=5:y=3,b');
    assert.equal(withKey('gaussian', 0, 'sigma', 5), 'gaussian:sigma=5');
});

test('headers tell sizes; damaged ones tell nothing', () => {
    const bytes = new Uint8Array(64),
        view = new DataView(bytes.buffer);
    (bytes.set([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc2, 0, 17, 8]),
        view.setUint16(13, 480),
        view.setUint16(15, 640));
    assert.deepEqual(sniff(bytes), { kind: 'JPEG', width: 640, height: 480 });
    assert.deepEqual(sniff(bytes.subarray(0, 40).map((byte, i) => (i > 7 ? 0 : byte))), { kind: 'JPEG' });
    assert.deepEqual(sniff(new TextEncoder().encode('RIFF....WEBPVP8X........' + '\x07\0\0\x03\0\0......')), {
        kind: 'WebP',
        width: 8,
        height: 4,
    });
    for (let length = 0; length < 40; length++) assert.ok('kind' in sniff(bytes.subarray(0, length)));
});

test('every step of the guided examples is a link to a picture of the page', async () => {
    const { EXAMPLES } = await module('examples.js'),
        { PICTURES, ownPicture } = await module('pictures.js');
    assert.equal(EXAMPLES.length, 5);
    for (const { steps } of EXAMPLES)
        for (const step of steps) {
            const { picture, document } = link.decode(step.link);
            assert.ok(picture in PICTURES, step.link);
            assert.equal(link.encode(document, picture), step.link);
        }
    for (const name of Object.keys(PICTURES)) {
        const made = ownPicture(name, magnitudes => magnitudes, 64, 48);
        assert.equal(made.data.length, made.width * made.height * made.channels, name);
        assert.ok(new Set(made.data).size > 10, `${name} is empty`);
    }
});

test('the command names what the page does', async () => {
    const { commandOf } = await module('command.js'),
        strokes = [link.rounded(stroke('dots', [0.1, 0.1]))];
    assert.equal(commandOf(doc.EMPTY, 'a.png'), 'abbe filter a.png -f identity -o result.png');
    const document = doc.changed(doc.EMPTY, {
        strokes,
        filter: ' unsharp:sigma=2 ',
        border: 'wrap',
        linear: true,
        alpha: 'independent',
    });
    assert.equal(
        commandOf(document, "it's mine.png", { most: 2, offset: 0.5, alpha: true }),
        "abbe filter 'it'\\''s mine.png' -f mask:file=abbe-mask.png,unsharp:sigma=2 -o result.png" +
            ' --border wrap --linear --straight-alpha --gain 2 --offset 0.5',
    );
});

test('a picture that is too large as a whole is filtered channel by channel', async () => {
    const { open } = await module('libabbe/index.js'),
        { Lens } = await module('lens.js'),
        abbe = await open({ wasm: await readFile(join(SITE, 'libabbe/abbe.wasm')) }),
        cpu = abbe.device('cpu'),
        asked = [];
    const scarce = {
        name: 'cpu',
        plan(params) {
            asked.push(params.channels);
            if (params.channels > 2) throw Object.assign(new Error('scarce'), { code: 'ABBE_ERR_MEMORY' });
            return cpu.plan(params);
        },
    };
    const whole = new Lens(abbe),
        apart = new Lens(abbe, { device: scarce });
    for (const [channels, Samples] of [
        [3, Uint8Array],
        [4, Uint8Array],
        [4, Uint16Array],
    ]) {
        const picture = { width: 40, height: 30, channels, name: '' };
        picture.data = Samples.from({ length: 1200 * channels }, (_, i) => Math.imul(i + 1, 40503) >>> 5);
        for (const changes of [
            { filter: 'gaussian:sigma=1.5' },
            { strokes: [stroke('brush', [0.1, 0, 0.2, 0.1])], linear: true },
        ]) {
            const document = doc.changed(doc.EMPTY, changes),
                expected = whole.run(document, picture).data,
                { data } = apart.run(document, picture);
            assert.ok(
                data.every((level, i) => Math.abs(level - expected[i]) <= 1),
                `${channels} channels`,
            );
        }
    }
    assert.deepEqual([...new Set(asked)].sort(), [1, 2, 3, 4]);
});

test('a GPU that the library refuses, or that is none, leaves the work to the CPU with a sentence', async () => {
    const { Gpu } = await module('gpu.js');
    const context = { getExtension: () => null };
    const reasonOf = (gl, device) => {
        globalThis.OffscreenCanvas = class {
            getContext = () => gl;
            addEventListener() {}
        };
        const gpu = new Gpu({ device }, false);
        delete globalThis.OffscreenCanvas;
        assert.equal(gpu.device, null);
        return gpu.reason;
    };
    const refuse = () => {
        throw new Error('gl: the context cannot draw into floats');
    };
    assert.equal(reasonOf(null), 'This browser has no WebGL 2, so the CPU does the work.');
    assert.equal(
        reasonOf(context, refuse),
        'The GPU cannot be used (gl: the context cannot draw into floats), so the CPU does the work.',
    );
    assert.equal(
        reasonOf(context, () => ({ software: true, dispose() {} })),
        'This browser draws without a GPU, so the CPU does the work.',
    );
});
