// The page in Chromium: strokes, files, links, keys, accessibility, memory, offline. Results are
// compared with what
// the library computes in node from the document that the page's own link describes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync, gzipSync, inflateSync } from 'node:zlib';
import { SITE, Tab, launch, lens, module, require, serve } from './page.js';

let server, browser, library;
const { encode, decode } = await module('png.js'),
    { ownPicture } = await module('pictures.js'),
    link = await module('link.js');

before(async () => {
    server = await serve();
    [browser, library] = await Promise.all([launch(), lens()]);
});
after(async () => {
    await browser?.close();
    server?.close();
});

const open = (hash = '', options = {}) => Tab.open(browser, server.url + hash, options);
const samplesOf = async bytes => decode(bytes);

/** Fails unless the saved result is the library's own answer to the document of the page's link. */
async function assertResult(tab, picture, strokes) {
    const { document } = link.decode(await tab.link()),
        saved = await samplesOf((await tab.save('png')).bytes);
    assert.equal(document.strokes.length, strokes);
    const expected = library.run(document, picture);
    assert.deepEqual(
        [saved.width, saved.height, saved.channels],
        [picture.width, picture.height, picture.channels],
    );
    assert.ok(
        Buffer.from(saved.data.buffer).equals(Buffer.from(expected.data.buffer)),
        'the saved result differs from the library’s',
    );
    assert.ok(
        !Buffer.from(saved.data.buffer).equals(Buffer.from(picture.data.buffer)),
        'nothing was filtered',
    );
    return { document, expected };
}

test('the page is small, and its first picture is soon there', async t => {
    const names = [
        ...(await readdir(SITE)),
        ...(await readdir(join(SITE, 'libabbe'))).map(name => `libabbe/${name}`),
    ].filter(name => name !== 'libabbe');
    const later = ['teapot-worker.js', 'teapot.wasm']; // fetched when the teapot is asked for
    const listed = JSON.parse(await readFile(join(SITE, 'files.json'), 'utf8'));
    assert.deepEqual(
        [...listed, ...later, 'files.json'].sort(),
        names.sort(),
        'files.json names other files than there are',
    );
    let bytes = 0;
    for (const name of [...listed, 'files.json']) bytes += gzipSync(await readFile(join(SITE, name))).length;
    const wasm = gzipSync(await readFile(join(SITE, 'libabbe/abbe.wasm'))).length;
    const page = await browser.newPage();
    await page.goto(server.url);
    await page.waitForFunction(() => document.documentElement.dataset.opened);
    const shown = await page.evaluate(() => performance.now());
    t.diagnostic(`${bytes} bytes gzipped, ${wasm} of them abbe.wasm; picture after ${Math.round(shown)} ms`);
    assert.ok(bytes <= 400e3, `${bytes} bytes`);
    await page.close();
});

test('strokes of every tool by the mouse: the result is the library’s', async () => {
    const tab = await open('#p=page'),
        picture = ownPicture('page');
    let strokes = 0;
    for (const [tool, deed, points] of [
        [
            'brush',
            'remove',
            [
                [0.1, 0.05],
                [0.2, 0.1],
                [0.15, 0.2],
            ],
        ],
        [
            'line',
            'scale',
            [
                [-0.3, 0.1],
                [-0.1, 0.3],
            ],
        ],
        [
            'ring',
            'remove',
            [
                [0.32, 0],
                [0.36, 0],
            ],
        ],
        [
            'wedge',
            'remove',
            [
                [0.05, 0.002],
                [0.05, 0.02],
            ],
        ],
        [
            'lasso',
            'remove',
            [
                [0.2, -0.3],
                [0.3, -0.3],
                [0.25, -0.2],
            ],
        ],
        ['dots', 'restore', [[0.12, 0.07]]],
    ]) {
        await tab.tool(tool, deed);
        await tab.drag(points);
        strokes++;
        const { document } = link.decode(await tab.link());
        assert.equal(document.strokes.at(-1)?.tool, tool);
        assert.equal(document.strokes.at(-1)?.action, deed);
    }
    const { expected } = await assertResult(tab, picture, strokes);
    await tab.assertShown(expected);
    assert.deepEqual(tab.errors, []);
    await tab.page.close();
});

test('one click on a bright spot takes the screen’s dots with their harmonics', async () => {
    const tab = await open('#p=print'),
        picture = ownPicture('print');
    const [peak] = library.peaks(picture),
        { x, y } = await tab.at(-peak.x / 2, -peak.y / 2); // the opposite point
    await tab.page.mouse.click(x + 3, y - 2);
    await tab.settled();
    const { document } = await assertResult(tab, picture, 1);
    const [u, v] = document.strokes[0].points,
        family = library.peaks(picture).filter(each => each.fundamental === 0);
    assert.ok(Math.hypot(u - peak.x / 2, v - peak.y / 2) < 1e-4, 'the dot is not at the peak');
    assert.equal(document.strokes[0].points.length, 2 * family.length);
    await tab.page.close();
});

test('one button takes every pattern that repeats', async () => {
    const tab = await open('#p=scan'),
        picture = ownPicture('scan');
    await tab.page.click('#descreen');
    await tab.settled();
    const { document, expected } = await assertResult(tab, picture, 2);
    const before = library.peaks(picture),
        after = library.peaks(expected);
    assert.ok(before.length >= 2);
    for (const { x, y, amplitude } of before) {
        assert.ok(
            document.strokes.some(({ points }) =>
                points.some((u, i) => i % 2 === 0 && Math.hypot(u - x / 2, points[i + 1] - y / 2) < 1e-3),
            ),
        );
        const left = after.find(peak => Math.hypot(peak.x - x, peak.y - y) < 0.01);
        assert.ok(!left || left.amplitude < amplitude / 20, 'a pattern is left');
    }
    await tab.page.close();
});

test('the five guided examples show what they tell', async () => {
    const tab = await open('#p=page'),
        { page } = tab,
        { EXAMPLES } = await module('examples.js'),
        { PICTURES } = await module('pictures.js');
    assert.equal(EXAMPLES.length, 5);
    for (const [i, { title, steps }] of EXAMPLES.entries()) {
        await page.evaluate(i => document.querySelectorAll('#examples button')[i].click(), i);
        for (const [at, { link: fragment, text }] of steps.entries()) {
            const { picture } = link.decode(fragment);
            await tab.opened(PICTURES[picture].title);
            await tab.settled();
            assert.deepEqual(
                await page.evaluate(() =>
                    ['guide-title', 'guide-text', 'guide-step'].map(
                        id => document.getElementById(id).textContent,
                    ),
                ),
                [title, text, `${at + 1} of ${steps.length}`],
            );
            assert.equal(await tab.link(), `#${fragment}`);
            if (at + 1 < steps.length)
                await page.evaluate(() => document.getElementById('guide-next').click());
        }
    }
    assert.deepEqual(tab.errors, []);
    await page.close();
});

test('a finger paints, on a phone', async () => {
    const tab = await open('#p=page', { width: 390, height: 844, touch: true });
    await tab.tool('brush');
    const points = [await tab.at(0.1, 0.1), await tab.at(0.2, 0.15), await tab.at(0.3, 0.1)];
    await tab.page.touchscreen.touchStart(points[0].x, points[0].y);
    for (const point of points.slice(1)) await tab.page.touchscreen.touchMove(point.x, point.y);
    await tab.page.touchscreen.touchEnd();
    await tab.settled();
    await assertResult(tab, ownPicture('page'), 1);
    assert.ok(
        await tab.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        'the page is wider than the phone',
    );
    await tab.page.close();
});

test('a large picture has a preview while the hand moves, and its whole result after', async () => {
    const tab = await open('#p=page'),
        { data, width, height } = ownPicture('hills', null, 1600, 1000);
    const picture = { width, height, channels: 3, data };
    await tab.drop('large.png', new Uint8Array(await (await encode(picture)).arrayBuffer()), 'image/png');
    await tab.opened('large.png');
    await tab.tool('ring');
    const [from, to] = [await tab.at(0.005, 0), await tab.at(0.45, 0)];
    const seen = () => tab.page.$eval('#result', canvas => canvas.toDataURL());
    const before = await seen();
    await tab.page.mouse.move(from.x, from.y);
    await tab.page.mouse.down();
    await tab.page.mouse.move(to.x, to.y, { steps: 3 });
    await tab.page.waitForFunction(
        before => document.getElementById('result').toDataURL() !== before,
        {},
        before,
    );
    assert.notEqual(
        ...(await tab.page.evaluate(() => [
            document.documentElement.dataset.asked,
            document.documentElement.dataset.done,
        ])),
        'the whole result came before the hand rested',
    );
    await tab.page.mouse.up();
    await tab.settled();
    await assertResult(tab, picture, 1);
    await tab.page.close();
});

test('undo, redo, and a link that does the same elsewhere', async () => {
    const tab = await open('#p=page');
    await tab.tool('brush');
    await tab.drag([
        [0.2, 0],
        [0.3, 0.1],
    ]);
    await tab.page.select('#border', 'wrap');
    await tab.page.click('#linear');
    await tab.page.type('#filter', 'unsharp:sigma=2');
    await tab.settled();
    const whole = await tab.link();
    for (let i = 0; i < 60 && !(await tab.page.$eval('#undo', button => button.disabled)); i++)
        await tab.page.click('#undo');
    assert.equal(await tab.link(), '#p=page');
    for (let i = 0; i < 60 && !(await tab.page.$eval('#redo', button => button.disabled)); i++)
        await tab.page.click('#redo');
    await tab.settled();
    assert.equal(await tab.link(), whole);
    const { document } = await assertResult(tab, ownPicture('page'), 1);
    assert.deepEqual([document.border, document.linear, document.filter], ['wrap', true, 'unsharp:sigma=2']);
    const other = await open(whole);
    await other.settled();
    assert.equal(await other.link(), whole);
    await assertResult(other, ownPicture('page'), 1);
    await other.page.$eval('#filter', input => {
        input.value = 'highpass:cutoff=0.1';
        input.dispatchEvent(new Event('input'));
    });
    await other.settled();
    await assertResult(other, ownPicture('page'), 1);
    await other.page.evaluate(() => document.getElementById('copy-command').click());
    assert.equal(
        await other.page.evaluate(() => window.copied),
        'abbe filter picture.png -f mask:file=abbe-mask.png,highpass:cutoff=0.1 -o result.png' +
            ' --border wrap --linear --offset 0.5',
    );
    await other.page.close();
    await tab.page.close();
});

test('damaged links are told, and the page lives on', async () => {
    for (const fragment of [
        '#s=garbage',
        '#p=nowhere',
        '#%E0%A4%A',
        '#s=bx.1.1.1.zzzzzzz.1',
        '#b=around',
        '#f',
        '#s=' + 'bx.1.1.1.0.0_'.repeat(2000),
    ]) {
        assert.throws(
            () => {
                const { picture } = link.decode(fragment);
                if (picture === 'nowhere') throw new link.LinkError('the page tells');
            },
            link.LinkError,
            fragment,
        );
    }
    const tab = await open('#s=bx.q.q');
    await tab.says(/The link is damaged: .*\./);
    await tab.page.evaluate(() => (location.hash = '#p=nowhere'));
    await tab.says(/there is no picture “nowhere” here\./);
    await tab.tool('brush');
    await tab.drag([
        [0.2, 0],
        [0.3, 0.1],
    ]);
    await assertResult(tab, ownPicture('print'), 1);
    await tab.page.close();
});

// A PNG of 16 bits by node's own zlib, not by the coder under test.
function writePng(width, height, colour, samples, channels) {
    const raw = Buffer.alloc(height * (1 + width * channels * 2));
    for (let y = 0, at = 0; y < height; y++) {
        raw[at++] = 0;
        for (let i = 0; i < width * channels; i++, at += 2)
            raw.writeUInt16BE(samples[y * width * channels + i], at);
    }
    const { crc32 } = require('node:zlib'),
        chunk = (name, body) => {
            const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(name), body, Buffer.alloc(4)]);
            bytes.writeUInt32BE(body.length);
            bytes.writeUInt32BE(crc32 ? crc32(bytes.subarray(4, -4)) : 0, bytes.length - 4);
            return bytes;
        };
    const head = Buffer.alloc(13);
    (head.writeUInt32BE(width, 0), head.writeUInt32BE(height, 4), head.set([16, colour, 0, 0, 0], 8));
    return Buffer.concat([
        Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
        chunk('IHDR', head),
        chunk('IDAT', deflateSync(raw)),
        chunk('IEND', Buffer.alloc(0)),
    ]);
}

// Reads rows that are stored with the filters None and Sub, which are those that the page writes.
function readPng(bytes) {
    const parts = [];
    for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
        if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
            parts.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
    const raw = inflateSync(Buffer.concat(parts)),
        width = bytes.readUInt32BE(16),
        height = bytes.readUInt32BE(20),
        step = ({ 0: 1, 2: 3, 4: 2, 6: 4 }[bytes[25]] * bytes[24]) / 8;
    const samples = [];
    for (let y = 0; y < height; y++) {
        const row = raw.subarray(y * (width * step + 1) + 1, (y + 1) * (width * step + 1));
        assert.ok(raw[y * (width * step + 1)] <= 1);
        for (let i = step; raw[y * (width * step + 1)] && i < row.length; i++) row[i] += row[i - step];
        for (let i = 0; i < row.length; i += 2) samples.push(row.readUInt16BE(i));
    }
    return samples;
}

test('16 bits and straight alpha come back as they went in', async () => {
    const tab = await open('#p=page'),
        width = 37,
        height = 23;
    for (const [channels, colour] of [
        [4, 6],
        [3, 2],
        [2, 4],
        [1, 0],
    ]) {
        const samples = Array.from(
                { length: width * height * channels },
                (_, i) => (Math.imul(i + 1, 40503) >>> 3) & 65535,
            ),
            name = `deep${channels}.png`;
        await tab.drop(name, writePng(width, height, colour, samples, channels), 'image/png');
        await tab.opened(name);
        assert.deepEqual(readPng(Buffer.from((await tab.save('png')).bytes)), samples);
    }
    const { header } = await module('png.js'),
        saved = (await tab.save('png16')).bytes;
    assert.equal(header(saved).depth, 16);
    for (const [kind, first] of [
        ['jpeg', 0xff],
        ['webp', 0x52],
    ])
        assert.equal((await tab.save(kind)).bytes[0], first);
    await tab.page.close();
});

test('files that are no pictures are told, and the page lives on', async () => {
    const tab = await open('#p=page'),
        huge = Buffer.from(writePng(1, 1, 6, [1, 2, 3, 4], 4));
    await tab.drop(
        'notes.png',
        Buffer.from('These are notes, in plain text, and a little longer than a header.'),
        'image/png',
    );
    await tab.says(/^notes\.png is not a picture that this browser can read\./);
    (huge.writeUInt32BE(20000, 16), huge.writeUInt32BE(10000, 20));
    await tab.drop('huge.png', huge, 'image/png');
    await tab.says(/^huge\.png has 200 megapixels; this page takes up to 50\.$/);
    await tab.drop('empty.png', Buffer.alloc(0), 'image/png');
    await tab.says(/^empty\.png is empty\.$/);
    const half = Buffer.from(
        writePng(
            64,
            64,
            6,
            Array.from({ length: 64 * 64 * 4 }, (_, i) => (i * 7919) & 65535),
            4,
        ),
    );
    await tab.drop('half.png', half.subarray(0, half.length / 2), 'image/png');
    await tab.says(/^The PNG file is damaged: /);
    await tab.drop(
        'broken.jpg',
        Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(60)]),
        'image/jpeg',
    );
    await tab.says(/^broken\.jpg is damaged, or a JPEG file/);
    await tab.drop(['first.png', 'second.png'], half, 'image/png');
    await tab.says(/^first\.png was still loading; second\.png is opened after it\.$/);
    await tab.opened('second.png');
    await tab.tool('brush');
    await tab.drag([
        [0.2, 0],
        [0.3, 0.1],
    ]);
    assert.match(await tab.link(), /s=b/);
    assert.deepEqual(tab.errors, []);
    await tab.page.close();
});

test('the keyboard alone: a filter by completion, a stroke, undo', async () => {
    const tab = await open('#p=page'),
        { page } = tab,
        { keyboard } = page;
    const focusBy = async id => {
        for (let i = 0; i < 80; i++) {
            await keyboard.press('Tab');
            if (await page.evaluate(id => document.activeElement.id === id, id)) return;
        }
        assert.fail(`Tab does not reach ${id}`);
    };
    await focusBy('spectrum');
    await keyboard.press('b');
    for (let i = 0; i < 6; i++) await keyboard.press('ArrowRight');
    await keyboard.press('Enter');
    for (let i = 0; i < 4; i++) await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await tab.settled();
    await assertResult(tab, ownPicture('page'), 1);
    await focusBy('filter');
    await keyboard.type('gaus');
    await keyboard.press('ArrowDown');
    await keyboard.press('Enter');
    await tab.settled();
    assert.equal(await page.$eval('#filter', input => input.value), 'gaussian');
    await page.keyboard.type(':sigma=oops');
    await page.waitForFunction(
        () =>
            document.getElementById('filter').getAttribute('aria-invalid') === 'true' &&
            /sigma/.test(document.getElementById('filter-help').textContent),
    );
    for (let i = 0; i < 4; i++) await keyboard.press('Backspace');
    await keyboard.type('4');
    await page.waitForFunction(() => !document.getElementById('filter').hasAttribute('aria-invalid'));
    await tab.settled();
    await assertResult(tab, ownPicture('page'), 1);
    assert.ok(await page.$eval('#keys', keys => keys.children.length >= 1), 'no sliders');
    await page.close();
});

test('axe finds no serious violation, in both themes and sizes', async () => {
    const source = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');
    for (const [width, scheme] of [
        [1440, 'light'],
        [1440, 'dark'],
        [390, 'light'],
    ]) {
        const tab = await open('#p=page&f=gaussian:sigma=3', { width, height: 860 });
        await tab.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
        await tab.settled();
        await tab.page.evaluate(source);
        const { violations } = await tab.page.evaluate(() => axe.run());
        assert.deepEqual(
            violations
                .filter(each => ['serious', 'critical'].includes(each.impact))
                .map(each => `${each.id}: ${each.nodes.map(node => node.html).join(' ')}`),
            [],
        );
        await tab.page.close();
    }
});

test('memory stays flat over many strokes', async t => {
    const tab = await open('#p=page', { width: 480, height: 400 }),
        session = await tab.page.createCDPSession();
    const used = async () => {
        await session.send('HeapProfiler.collectGarbage');
        const heaps = [session, ...tab.page.workers().map(worker => worker.client)];
        let sum = 0;
        for (const heap of heaps) {
            await heap.send('HeapProfiler.collectGarbage');
            const { usedSize, backingStorageSize = 0 } = await heap.send('Runtime.getHeapUsage');
            sum += usedSize + backingStorageSize;
        }
        return sum;
    };
    const strokes = count =>
        tab.page.evaluate(async count => {
            const canvas = document.getElementById('spectrum'),
                { x, y } = canvas.getBoundingClientRect();
            canvas.setPointerCapture = () => {};
            for (let i = 0; i < count; i++) {
                for (const [type, right] of [
                    ['pointerdown', 40],
                    ['pointermove', 55],
                    ['pointerup', 55],
                ])
                    canvas.dispatchEvent(
                        new PointerEvent(type, {
                            pointerId: 1,
                            clientX: x + right,
                            clientY: y + 40,
                            buttons: 1,
                            bubbles: true,
                        }),
                    );
                document.getElementById('undo').click();
                await new Promise(resolve => setTimeout(resolve, 5));
            }
        }, count);
    await tab.tool('brush');
    await strokes(60);
    await tab.settled();
    const early = await used();
    for (let i = 0; i < 10; i++) await strokes(100);
    await tab.settled();
    const late = await used();
    t.diagnostic(`${(early / 1e6).toFixed(1)} MB after 60 strokes, ${(late / 1e6).toFixed(1)} MB after 1060`);
    assert.ok(late - early < 8e6, `${late - early} bytes more`);
    await tab.page.close();
});

test('a GPU does the same within a level, and its loss is no loss', async () => {
    const tab = await Tab.open(browser, `${server.url}?device=gl#p=page`),
        width = 96,
        height = 64;
    const samples = Uint8Array.from({ length: width * height * 3 }, (_, i) => Math.imul(i + 1, 40503) >>> 5),
        picture = { width, height, channels: 3, data: samples };
    await tab.drop('small.png', new Uint8Array(await (await encode(picture)).arrayBuffer()), 'image/png');
    await tab.opened('small.png');
    const [worker] = tab.page.workers(),
        differences = async text => {
            await tab.page.$eval(
                '#filter',
                (input, text) => ((input.value = text), input.dispatchEvent(new Event('input'))),
                text,
            );
            await tab.settled();
            const saved = await samplesOf((await tab.save('png')).bytes),
                { data } = library.run(link.decode(await tab.link()).document, picture);
            return saved.data.reduce((most, level, i) => Math.max(most, Math.abs(level - data[i])), 0);
        };
    assert.equal(await worker.evaluate(() => self.gpu.device?.name), 'gl');
    assert.ok((await differences('gaussian:sigma=3')) <= 1);
    await worker.evaluate(() => self.gpu.lose(false));
    await worker.evaluate(() => new Promise(resolve => setTimeout(resolve, 100)));
    assert.equal(await worker.evaluate(() => self.gpu.device), null);
    assert.equal(await differences('gaussian:sigma=4'), 0);
    assert.match(
        await tab.page.$eval('#why', element => element.textContent),
        /The GPU was taken away; the CPU goes on\./,
    );
    await worker.evaluate(() => self.gpu.lose(true));
    await worker.evaluate(() => new Promise(resolve => setTimeout(resolve, 200)));
    assert.ok((await differences('gaussian:sigma=5')) <= 1);
    assert.match(await tab.page.$eval('#why', element => element.textContent), /on the GPU/);
    await tab.page.close();
});

test('without WebGL the CPU goes on and says so, and the teapot stays away', async () => {
    const plain = await launch('chrome', ['--disable-gpu', '--disable-software-rasterizer']);
    try {
        const tab = await Tab.open(plain, `${server.url}#p=page&f=gaussian:sigma=3`);
        await tab.settled();
        assert.match(
            await tab.page.$eval('#why', element => element.textContent),
            /This browser has no WebGL 2, so the CPU does the work\./,
        );
        await tab.page.evaluate(() => (location.hash = '#p=teapot'));
        await tab.says(/^The teapot cannot be drawn: this browser has no WebGL 2\.$/);
        await tab.page.evaluate(() => (location.hash = '#p=page'));
        await tab.tool('brush');
        await tab.drag([
            [0.2, 0],
            [0.3, 0.1],
        ]);
        await assertResult(tab, ownPicture('page'), 1);
    } finally {
        await plain.close();
    }
});

test('a picture that fails after one that opens leaves the first', async () => {
    const tab = await open('#p=page'),
        picture = { ...ownPicture('chart'), name: undefined };
    await tab.drop('good.png', new Uint8Array(await (await encode(picture)).arrayBuffer()), 'image/png');
    await tab.drop('bad.png', Buffer.from('no picture at all, but long enough for a header'), 'image/png');
    await tab.says(/^bad\.png is not a picture/);
    await tab.opened('good.png');
    await tab.tool('brush');
    await tab.drag([
        [0.2, 0],
        [0.3, 0.1],
    ]);
    await assertResult(tab, picture, 1);
    await tab.page.close();
});

test('the camera is filtered frame by frame', async () => {
    const tab = await open('#p=page&f=gaussian:sigma=4');
    const pixels = id => tab.page.$eval(id, canvas => canvas.toDataURL());
    await tab.page.evaluate(() => [...document.querySelectorAll('#pictures button')].at(-1).click());
    await tab.page.waitForFunction(() => document.documentElement.dataset.examined === 'Camera');
    const [first, result] = [await pixels('#picture'), await pixels('#result')];
    assert.notEqual(first, result);
    await tab.page.waitForFunction(
        first => document.getElementById('picture').toDataURL() !== first,
        {},
        first,
    );
    await tab.page.evaluate(() => document.querySelector('#pictures button').click());
    await tab.page.waitForFunction(() => document.documentElement.dataset.examined === 'A printed postcard');
    assert.deepEqual(tab.errors, []);
    await tab.page.close();
});

test('the teapot turns, by itself and by a drag, and is filtered', async () => {
    const tab = await open('#p=page'),
        loaded = () => performance.getEntriesByType('resource').some(({ name }) => /teapot\.wasm/.test(name));
    assert.equal(await tab.page.evaluate(loaded), false, 'the teapot is loaded with the page');
    const keep = () =>
        tab.page.$eval('#picture', canvas => {
            const { width, height } = canvas;
            window.kept = canvas.getContext('2d').getImageData(0, 0, width, height).data;
        });
    const differs = least =>
        tab.page.waitForFunction(
            least => {
                const canvas = document.getElementById('picture'),
                    { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
                let sum = 0;
                for (let i = 0; i < data.length; i++) sum += Math.abs(data[i] - window.kept[i]);
                return sum / data.length > least;
            },
            {},
            least,
        );
    await tab.page.evaluate(() => (location.hash = '#p=teapot&f=gaussian:sigma=3'));
    await tab.opened('The teapot');
    await keep();
    await differs(0.5);
    await tab.page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
    await tab.page.evaluate(() => (location.hash = '#p=teapot&f=gaussian:sigma=4'));
    await tab.page.waitForFunction(
        () => document.getElementById('picture-note').textContent === 'The teapot, 640 × 480',
    );
    await keep();
    await new Promise(resolve => setTimeout(resolve, 300));
    await tab.page.hover('#picture');
    await tab.page.mouse.down();
    await tab.page.mouse.move(360, 300, { steps: 2 });
    await tab.page.mouse.up();
    await differs(2);
    const shown = id => tab.page.$eval(id, canvas => canvas.toDataURL());
    assert.notEqual(await shown('#picture'), await shown('#result'));
    assert.match(await tab.link(), /^#p=teapot&f=gaussian:sigma=4$/);
    assert.deepEqual(tab.errors, []);
    await tab.page.close();
});

test('without the network the page opens again and filters', async () => {
    const own = await serve(),
        tab = await Tab.open(browser, own.url + '#p=page');
    await tab.page.evaluate(async () => (await navigator.serviceWorker.ready) && 0);
    await tab.page.waitForFunction(() => navigator.serviceWorker.controller);
    own.close();
    await tab.page.reload();
    await tab.examined();
    await tab.tool('brush');
    await tab.drag([
        [0.2, 0],
        [0.3, 0.1],
    ]);
    await assertResult(tab, ownPicture('page'), 1);
    await tab.page.close();
});
