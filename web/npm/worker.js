// libabbe in a worker: the same names as in index.js, whose methods return promises.
import { AbbeError } from './error.js';

export { AbbeError } from './error.js';

/** @typedef {import('./picture.js').Picture} Picture */
/** @typedef {import('./picture.js').Samples} Samples */
/** @typedef {import('./picture.js').Type} Type */
/** @typedef {import('./device.js').PlanParams} PlanParams */
/** @typedef {import('./device.js').Border} Border */
/** @typedef {import('./device.js').Peak} Peak */
/** @typedef {import('./module.js').Matrix} Matrix */
/** @typedef {import('./filter.js').FilterInfo} FilterInfo */
/** @typedef {import('./plan.js').Candidate} Candidate */
/** @typedef {import('./index.js').CatalogueEntry} CatalogueEntry */
/** @typedef {import('./index.js').GLOptions} GLOptions */
/**
 * @typedef {object} OpenOptions
 * @property {string | URL} [wasm] the address of abbe.wasm; default: beside worker-thread.js
 * @property {string | URL} [worker] the address of worker-thread.js; default: beside worker.js
 */
/** @typedef {Omit<PlanParams, 'filters'> & { filters: (RemoteFilter | string)[] }} RemotePlanParams */
/** @typedef {{ post: (message: unknown, transfer: Transferable[]) => void, end: () => void, keep: (busy: boolean) => void }} Port A worker of the browser, or of node, which node waits for while it is busy. */

/** The calls that have not been answered, and the worker that answers them. */
class Calls {
    #next = 1;
    /** @type {Map<number, { resolve: (value: any) => void, reject: (error: Error) => void }>} */
    #waiting = new Map();
    /** @type {Port} */
    port = { post: () => {}, end: () => {}, keep: () => {} };
    registry = new FinalizationRegistry((/** @type {number} */ id) => this.port.post({ drop: id }, []));

    /**
     * Calls a method of the object with that number.
     * @param {number} id @param {string} method @param {unknown[]} given @param {Transferable[]} [transfer]
     * @returns {Promise<any>}
     */
    call(id, method, given, transfer = []) {
        return new Promise((resolve, reject) => {
            const number = this.#next++;
            this.#waiting.set(number, { resolve, reject });
            this.port.keep(true);
            try {
                this.port.post({ number, id, method, given: given.map(pack) }, transfer);
            } catch (error) {
                this.#waiting.delete(number);
                reject(/** @type {Error} */ (error));
            }
        });
    }

    /** @param {{ number: number, value?: unknown, error?: { code: string, message: string } }} answer */
    answer({ number, value, error }) {
        const waiting = this.#waiting.get(number);
        this.#waiting.delete(number);
        this.port.keep(this.#waiting.size > 0);
        if (error)
            waiting?.reject(error.code ? new AbbeError(error.code, error.message) : new Error(error.message));
        else waiting?.resolve(value);
    }

    /** Rejects everything that waits. @param {Error} error */
    fail(error) {
        for (const { reject } of this.#waiting.values()) reject(error);
        this.#waiting.clear();
    }
}

/** Puts numbers in the place of objects of the worker. @param {any} value @returns {any} */
function pack(value) {
    if (value instanceof Remote) return { abbeRemote: value.id };
    if (Array.isArray(value)) return value.map(pack);
    if (value && Object.getPrototypeOf(value) === Object.prototype)
        return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, pack(part)]));
    return value;
}

/** An object in the worker. */
class Remote {
    /** @internal */
    calls;
    /** @internal */
    id;

    /** @internal @param {Calls} calls @param {number} id */
    constructor(calls, id) {
        this.calls = calls;
        this.id = id;
        calls.registry.register(this, id, this);
    }

    /** Releases the memory. */
    async dispose() {
        this.calls.registry.unregister(this);
        await this.calls.call(this.id, 'dispose', []);
        this.calls.port.post({ drop: this.id }, []);
    }
}

export class RemoteFilter extends Remote {
    /** @returns {Promise<FilterInfo>} */
    info() {
        return this.calls.call(this.id, 'info', []);
    }
    /** @param {number} [component] @returns {Promise<Matrix>} */
    taps(component) {
        return this.calls.call(this.id, 'taps', [component]);
    }
    /** @param {number} fx @param {number} fy @param {number} [component] @returns {Promise<[number, number]>} */
    gain(fx, fy, component) {
        return this.calls.call(this.id, 'gain', [fx, fy, component]);
    }
    /** @param {number} [tolerance] @returns {Promise<{ left: number, right: number, up: number, down: number }>} */
    reach(tolerance) {
        return this.calls.call(this.id, 'reach', [tolerance]);
    }
}

export class RemotePlan extends Remote {
    /**
     * Filters a picture; a copy of it goes to the worker. Results are copied into those that are given.
     * @param {Picture | Samples} source
     * @param {Picture | Samples | (Picture | Samples)[] | null} [results]
     * @param {{ transfer?: Transferable[] }} [options] buffers of the source that move to the worker instead
     * @returns {Promise<any>} the array of the result, or the list of them
     */
    async run(source, results, options = {}) {
        const got = await this.calls.call(
            this.id,
            'run',
            [plain(source), results ? (Array.isArray(results) ? results.map(plain) : plain(results)) : null],
            options.transfer,
        );
        if (!results) return got;
        const arrays = Array.isArray(results) ? got : [got];
        const targets = (Array.isArray(results) ? results : [results]).map(result =>
            ArrayBuffer.isView(result) ? result : result.data,
        );
        targets.forEach((target, i) => target.set(arrays[i]));
        return Array.isArray(results) ? targets : targets[0];
    }

    /** @param {(RemoteFilter | string)[]} filters @returns {Promise<void>} */
    replace(filters) {
        return this.calls.call(this.id, 'replace', [filters]);
    }
    /** @param {Matrix} gains @param {number} x @param {number} y @param {number} [filter] @returns {Promise<void>} */
    repaint(gains, x, y, filter) {
        return this.calls.call(this.id, 'repaint', [gains, x, y, filter]);
    }
    /** @returns {Promise<Candidate[]>} */
    explain() {
        return this.calls.call(this.id, 'explain', []);
    }
    /** @returns {Promise<{ width: number, height: number, x: number, y: number }>} */
    result() {
        return this.calls.call(this.id, 'result', []);
    }
    /** @returns {Promise<{ name: string, detail: string }>} */
    device() {
        return this.calls.call(this.id, 'device', []);
    }
    /** @returns {Promise<number>} */
    memory() {
        return this.calls.call(this.id, 'memory', []);
    }
}

/** A picture that can be sent: an ImageData becomes its fields. @param {Picture | Samples} picture */
function plain(picture) {
    if (!picture || ArrayBuffer.isView(picture) || Object.getPrototypeOf(picture) === Object.prototype)
        return picture;
    const { data, width, height } = picture;
    return { data, width, height };
}

export class RemoteDevice extends Remote {
    /** @returns {Promise<string>} */
    name() {
        return this.calls.call(this.id, 'name', []);
    }
    /** @returns {Promise<string>} */
    detail() {
        return this.calls.call(this.id, 'detail', []);
    }
    /** @returns {Promise<boolean>} */
    software() {
        return this.calls.call(this.id, 'software', []);
    }
    /** @returns {Promise<boolean>} */
    lost() {
        return this.calls.call(this.id, 'lost', []);
    }
    /** @param {RemotePlanParams} params */
    async plan(params) {
        return new RemotePlan(this.calls, await this.calls.call(this.id, 'plan', [params]));
    }
    /** @param {string} filter @param {Picture} picture @param {{ border?: Border }} [options] @returns {Promise<Picture>} */
    apply(filter, picture, options) {
        return this.calls.call(this.id, 'apply', [filter, plain(picture), options]);
    }
    /** @param {Picture} picture @returns {Promise<Picture>} */
    spectrum(picture) {
        return this.calls.call(this.id, 'spectrum', [plain(picture)]);
    }
    /** @param {Picture} packed @param {Type} [type] @returns {Promise<Picture>} */
    ispectrum(packed, type) {
        return this.calls.call(this.id, 'ispectrum', [packed, type]);
    }
    /** @param {number} width @param {number} height @param {Float32Array} samples @param {{ inverse?: boolean }} [options] @returns {Promise<Float32Array>} */
    fft(width, height, samples, options) {
        return this.calls.call(this.id, 'fft', [width, height, samples, options]);
    }
    /** @param {Picture} picture @param {{ most?: number, prominence?: number }} [options] @returns {Promise<Peak[]>} */
    peaks(picture, options) {
        return this.calls.call(this.id, 'peaks', [plain(picture), options]);
    }
}

/** The library in a worker. */
export class RemoteAbbe {
    #calls;
    /** "major.minor.patch" */
    version;

    /** @internal @param {Calls} calls @param {string} version */
    constructor(calls, version) {
        this.#calls = calls;
        this.version = version;
    }

    /** @param {string} method @param {unknown[]} given */
    async #filter(method, given) {
        return new RemoteFilter(this.#calls, await this.#calls.call(0, method, given));
    }

    /**
     * Opens the CPU, or adopts the WebGL 2 context of a canvas that moves to the worker.
     * @param {string | OffscreenCanvas} [where] @param {GLOptions} [options]
     */
    async device(where = 'cpu', options = {}) {
        const transfer = typeof where === 'string' ? [] : [where];
        return new RemoteDevice(this.#calls, await this.#calls.call(0, 'device', [where, options], transfer));
    }

    /** @param {string} text */
    filter(text) {
        return this.#filter('filter', [text]);
    }
    /** @param {Matrix} taps @param {{ normalize?: boolean, centre?: [number, number] }} [options] */
    kernel(taps, options) {
        return this.#filter('kernel', [taps, options]);
    }
    /** @param {ArrayLike<number>} row @param {ArrayLike<number>} column @param {{ normalize?: boolean, centre?: [number, number] }} [options] */
    separable(row, column, options) {
        return this.#filter('separable', [row, column, options]);
    }
    /** @param {Matrix} gains */
    mask(gains) {
        return this.#filter('mask', [gains]);
    }
    /** @param {number} width @param {number} height @param {ArrayLike<number>} gains */
    gains(width, height, gains) {
        return this.#filter('gains', [width, height, gains]);
    }
    /** @param {(RemoteFilter | string)[]} filters */
    chain(filters) {
        return this.#filter('chain', [filters]);
    }
    /** @param {string} text @returns {Promise<Matrix>} */
    matrix(text) {
        return this.#calls.call(0, 'matrix', [text]);
    }
    /** @returns {Promise<CatalogueEntry[]>} */
    catalogue() {
        return this.#calls.call(0, 'catalogue', []);
    }

    /** Ends the worker; what it is doing is lost, and calls that wait are rejected. */
    close() {
        this.#calls.fail(new AbbeError('ABBE_ERR_CANCELLED', 'the worker was closed'));
        this.#calls.port.end();
    }
}

/** @param {Calls} calls @param {string | URL} [address] @returns {Promise<Port>} */
async function start(calls, address) {
    const failed = (/** @type {any} */ event) =>
        calls.fail(new AbbeError('ABBE_ERR_DEVICE', `the worker failed: ${event?.message ?? event}`));
    if (typeof Worker === 'function') {
        const worker = address
            ? new Worker(address, { type: 'module' })
            : new Worker(new URL('./worker-thread.js', import.meta.url), { type: 'module' });
        worker.onmessage = event => calls.answer(event.data);
        worker.onerror = failed;
        return {
            post: (message, transfer) => worker.postMessage(message, transfer),
            end: () => worker.terminate(),
            keep: () => {},
        };
    }
    const threads = 'node:worker_threads'; // not a literal, so that bundlers for browsers leave it alone
    const worker = new (await import(/* @vite-ignore */ threads)).Worker(
        address ?? new URL('./worker-thread.js', import.meta.url),
    );
    worker.on('message', (/** @type {any} */ message) => calls.answer(message));
    worker.on('error', failed);
    return {
        post: (message, transfer) => worker.postMessage(message, transfer),
        end: () => worker.terminate(),
        keep: busy => (busy ? worker.ref() : worker.unref()),
    };
}

/** Starts a worker, and opens the library there. @param {OpenOptions} [options] @returns {Promise<RemoteAbbe>} */
export async function open({ wasm, worker } = {}) {
    const calls = new Calls();
    calls.port = await start(calls, worker);
    const version = await calls.call(0, 'open', [
        wasm ? { wasm: String(new URL(wasm, globalThis.location?.href ?? import.meta.url)) } : {},
    ]);
    return new RemoteAbbe(calls, version);
}
