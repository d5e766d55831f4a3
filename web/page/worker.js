// The worker: it holds a picture and answers one task after the other, so that the page never waits.
import { open } from './libabbe/index.js';
import { decodeFile, fromBitmap } from './decode.js';
import { isIdentity } from './document.js';
import { Gpu } from './gpu.js';
import { ownPicture } from './pictures.js';
import * as png from './png.js';
import { paint } from './mask.js';
import { gridFor } from './strokes.js';
import { Lens, toRgba } from './lens.js';

// The address of the page may ask for a device: ?device=cpu, or ?device=gl, which also takes a software
// driver.
const wanted = new URLSearchParams(location.search).get('device');
let picture = null,
    gpu = null;

const ready = open().then(abbe => {
    gpu = wanted === 'cpu' ? null : new Gpu(abbe, wanted === 'gl');
    Object.assign(self, { gpu }); // where tests find it
    return new Lens(abbe, gpu);
});

const describe = ({ name, width, height, channels, data }) => ({
    name,
    width,
    height,
    alpha: channels === 2 || channels === 4,
    depth: data instanceof Uint16Array ? 16 : 8,
});

const tasks = {
    async start() {
        const lens = await ready;
        return { catalogue: lens.catalogue(), detail: lens.detail };
    },

    async open({ blob, name, own }) {
        const lens = own === 'texture' || own === 'swapped' ? await ready : null;
        const opened = blob ? await decodeFile(blob, name) : ownPicture(own, (...both) => lens.mix(...both));
        picture = opened;
        ready.then(each => each.rest());
        return { ...describe(picture), rgba: toRgba(picture) };
    },

    // A frame of the camera or the teapot: the picture from now on, and its result.
    async frame({ bitmap, name, document, examines }) {
        const lens = await ready,
            started = performance.now();
        picture = { ...fromBitmap(bitmap), name };
        const answer = { rgba: toRgba(picture) };
        try {
            if (!isIdentity(document)) answer.filtered = toRgba(lens.follow(document, picture));
        } catch ({ message, code = '' }) {
            answer.problem = { message, code };
        }
        answer.took = performance.now() - started;
        if (examines) answer.spectrum = lens.spectrum(picture);
        return answer;
    },

    async take({ taken }) {
        picture = taken;
    },

    async give() {
        return { picture: { ...picture, data: picture.data.slice() } };
    },

    // The first runs in a browser are several times slower, until its compiler has come by.
    async warm() {
        (await ready).warm();
    },

    async check({ text }) {
        (await ready).check(text);
    },

    async spectrum() {
        return (await ready).spectrum(picture);
    },

    async peaks() {
        return { peaks: (await ready).peaks(picture) };
    },

    async render({ document, excerpt }) {
        const lens = await ready,
            started = performance.now();
        const result = excerpt ? lens.preview(document, picture, excerpt) : lens.follow(document, picture);
        const { width, height, candidates, planning, running, device, offset } = result,
            rgba = toRgba(result);
        return {
            rgba,
            width,
            height,
            excerpt,
            candidates,
            planning,
            running,
            device,
            offset,
            reason: gpu?.reason ?? '',
            took: performance.now() - started,
        };
    },

    async measure({ document }) {
        return { devices: (await ready).measure(document, picture) };
    },

    async kernel({ document, size }) {
        return { size, values: (await ready).kernel(document, size) };
    },

    async save({ document, kind, deep }) {
        const lens = await ready,
            { width, height } = picture;
        if (kind === 'mask') {
            const grid = gridFor(picture),
                gains = paint(document.strokes, grid, document.keepsMean),
                most = gains.reduce((a, b) => Math.max(a, b), 1),
                data = Uint16Array.from(gains, gain => Math.round((65535 * gain) / most));
            return { blob: await png.encode({ width: grid.width, height: grid.height, channels: 1, data }) };
        }
        const source =
            deep && !(picture.data instanceof Uint16Array)
                ? { ...picture, data: Uint16Array.from(picture.data, level => level * 257) }
                : picture;
        const result = isIdentity(document) ? source : lens.run(document, source);
        if (kind === 'png') return { blob: await png.encode(result) };
        const canvas = new OffscreenCanvas(width, height);
        canvas.getContext('2d').putImageData(new ImageData(toRgba(result), width, height), 0, 0);
        const type = kind === 'jpeg' ? 'image/jpeg' : 'image/webp',
            blob = await canvas.convertToBlob({ type, quality: 0.92 });
        if (blob.type !== type)
            throw new Error(`This browser cannot write ${kind === 'jpeg' ? 'JPEG' : 'WebP'} files.`);
        return { blob };
    },
};

// What a message gives away need not be copied.
const buffers = answer =>
    Object.values(answer ?? {}).flatMap(value =>
        ArrayBuffer.isView(value)
            ? [value.buffer]
            : ArrayBuffer.isView(value?.data)
              ? [value.data.buffer]
              : [],
    );

let queue = Promise.resolve();
self.onmessage = ({ data: { id, task, ...details } }) => {
    queue = queue.then(async () => {
        try {
            const answer = await tasks[task](details);
            self.postMessage({ id, answer }, { transfer: buffers(answer) });
        } catch (error) {
            self.postMessage({ id, failure: { message: error.message, code: error.code ?? '' } });
        }
    });
};
