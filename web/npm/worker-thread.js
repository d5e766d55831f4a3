// The worker of worker.js: calls methods of the library's objects, which have numbers; 0 is the library.
import { invalid } from './error.js';
import { open } from './index.js';

/** @type {Map<number, any>} */
const objects = new Map();
let last = 0;

/** Puts objects in the place of their numbers. @param {any} value @returns {any} */
function unpack(value) {
    if (Array.isArray(value)) return value.map(unpack);
    if (!value || Object.getPrototypeOf(value) !== Object.prototype) return value;
    return value.abbeRemote !== undefined
        ? objects.get(value.abbeRemote)
        : Object.fromEntries(Object.entries(value).map(([key, part]) => [key, unpack(part)]));
}

/** Puts a number in the place of an object of the library. @param {any} value */
function publish(value) {
    if (typeof value?.dispose !== 'function') return value;
    objects.set(++last, value);
    return last;
}

/** The buffers of arrays in an answer, which move to the caller. @param {any} value @returns {Transferable[]} */
function buffersOf(value) {
    const buffers = ArrayBuffer.isView(value)
        ? [value.buffer]
        : value && typeof value === 'object'
          ? Object.values(value).flatMap(buffersOf)
          : [];
    return /** @type {Transferable[]} */ ([...new Set(buffers)]);
}

/** @param {number} id @param {string} method @param {any[]} given */
async function perform(id, method, given) {
    if (method === 'open') {
        const abbe = await open(given[0]);
        objects.set(0, abbe);
        return abbe.version;
    }
    if (method === 'device' && id === 0 && typeof given[0] !== 'string') {
        const context = given[0].getContext('webgl2', { antialias: false, depth: false });
        return publish(objects.get(0).device(context, given[1]));
    }
    const object = objects.get(id);
    if (!object) invalid('this object was disposed of');
    const member = object[method];
    return publish(typeof member === 'function' ? member.apply(object, given) : member);
}

/** @param {any} message @param {(answer: unknown, transfer: Transferable[]) => void} post */
async function answer(message, post) {
    if (message.drop) {
        objects.get(message.drop)?.dispose();
        objects.delete(message.drop);
        return;
    }
    const { number, id, method, given } = message;
    try {
        const value = await perform(id, method, unpack(given));
        post({ number, value }, buffersOf(value));
    } catch (error) {
        const { code, message: text } = /** @type {any} */ (error);
        post({ number, error: { code, message: text ?? String(error) } }, []);
    }
}

if (typeof self !== 'undefined' && typeof self.postMessage === 'function') {
    self.onmessage = event =>
        answer(event.data, (message, transfer) => self.postMessage(message, { transfer }));
} else {
    const threads = 'node:worker_threads';
    const { parentPort } = await import(/* @vite-ignore */ threads);
    parentPort.on('message', (/** @type {any} */ message) =>
        answer(message, (value, transfer) => parentPort.postMessage(value, transfer)),
    );
}
