// Plans and their runs.
import { invalid } from './error.js';
import { Held } from './held.js';

/** @typedef {import('./module.js').Module} Module */
/** @typedef {import('./device.js').Device} Device */
/** @typedef {import('./filter.js').Filter} Filter */
/** @typedef {import('./picture.js').Picture} Picture */
/** @typedef {import('./picture.js').Samples} Samples */
/** @typedef {import('./picture.js').Type} Type */
/** @typedef {import('./device.js').Method} Method */
/**
 * @typedef {object} Candidate
 * @property {Method} method
 * @property {boolean} possible
 * @property {boolean} chosen
 * @property {string | null} reason why it is not possible
 * @property {number} seconds predicted time of a run
 * @property {number} planning predicted time of sampling spectra
 * @property {number} bytes
 * @property {[number, number]} fft
 * @property {[number, number]} tile
 * @property {number} passes
 * @property {boolean} even
 */

/** How a bank of filters is applied to pictures of one shape. */
export class Plan extends Held {
    #module;
    #device;
    /** The plan of the library, which replace() exchanges. @type {{ at: number }} */
    #own;
    #make;
    /** @type {{ width: number, height: number, channels: number, type: Type }} */
    #source;
    /** @type {Type} */
    #resultType;
    #bank;
    /** The pixels of every result, and where they lie in the source. */
    result;

    /** @internal @param {Module} module @param {Device} device @param {(filters: (Filter | string)[]) => number} make @param {(Filter | string)[]} filters @param {{ width: number, height: number, channels: number, type: Type }} source @param {Type} resultType */
    constructor(module, device, make, filters, source, resultType) {
        const context = device.context,
            own = { at: make(filters) };
        super('plan', module.registry, () =>
            module.within(context, () => module.release('abbe_plan_destroy', own.at)),
        );
        this.#module = module;
        this.#device = device;
        this.#own = own;
        this.#make = make;
        this.#source = source;
        this.#resultType = resultType;
        this.#bank = filters.length;
        this.result = this.#findResult();
    }

    #findResult() {
        const module = this.#module;
        return module.block(16, size => {
            module.check(module.x.abbe_plan_result_size(this.#own.at, size, size + 4, size + 8, size + 12));
            const [width, height, x, y] = module.memory.i32.subarray(size >> 2, (size >> 2) + 4);
            return { width, height, x, y };
        });
    }

    #enter() {
        this.use();
        this.#device.use();
    }

    /**
     * Filters a picture. A typed array alone is a packed picture of the plan's shape. Without results, new packed
     * arrays are made. A result may be the source itself.
     * @template {Samples} [R=Samples]
     * @param {Picture | Samples} source
     * @param {Picture | R | (Picture | R)[] | null} [results] one, or one for each filter of the bank
     * @param {{ progress?: (done: number) => boolean | void }} [options] progress() that returns true stops the run
     * @returns {any} the array of the result; the list of them where the bank has several filters
     */
    run(source, results, options = {}) {
        this.#enter();
        const module = this.#module,
            { width, height, channels, type } = this.#source;
        const shape = { width: this.result.width, height: this.result.height, channels };
        /** @type {(Picture | Samples)[]} */
        const list = Array.isArray(results)
            ? results
            : results
              ? [results]
              : Array.from({ length: this.#bank }, () => module.pictures.empty(shape, this.#resultType));
        if (list.length !== this.#bank)
            invalid(`run: there are ${list.length} results for ${this.#bank} filters`);
        const from = module.pictures.check(source, { width, height, channels }, type, 'source');
        const to = list.map(result => module.pictures.check(result, shape, this.#resultType, 'result'));
        module.pictures.lend([from], to, views =>
            module.within(this.#device.context, () => {
                module.progress = options.progress ?? null;
                try {
                    module.check(
                        module.x.run(this.#own.at, views, views + 32, Number(!!options.progress)),
                        this.#device.context,
                    );
                } finally {
                    module.progress = null;
                }
            }),
        );
        module.rethrow();
        const arrays = to.map(result => result.data);
        return this.#bank > 1 || Array.isArray(results) ? arrays : arrays[0];
    }

    /**
     * Filters a texture into others, on the GPU. Level 0 of each must be RGBA8, RGBA16F or RGBA32F, as the plan's types
     * ask, of the plan's size; the context must be that of the device.
     * @param {WebGLTexture} source
     * @param {WebGLTexture | WebGLTexture[]} results one for each filter of the bank
     */
    filterTexture(source, results) {
        this.#enter();
        const module = this.#module,
            context = this.#device.context,
            list = Array.isArray(results) ? results : [results];
        if (!context) return invalid('filterTexture: the plan is not of a WebGL device');
        for (const texture of [source, ...list])
            if (!(texture instanceof WebGLTexture)) invalid(`filterTexture: ${texture} is no WebGLTexture`);
        if (list.length !== this.#bank)
            invalid(`filterTexture: there are ${list.length} results for ${this.#bank} filters`);
        module.block(4 * list.length, at =>
            module.within(context, () => {
                const temporary = [source, ...list].filter(texture => !context.names.has(texture));
                const names = list.map(texture => context.name(texture));
                module.memory.u32.set(names, at >> 2);
                try {
                    module.check(module.x.abbe_gl_filter(this.#own.at, context.name(source), at), context);
                } finally {
                    for (const texture of temporary) context.forget(context.name(texture));
                }
            }),
        );
    }

    /**
     * Puts other filters in the place of the bank; results come from them from now on. The plan is unchanged where that
     * fails.
     * @param {(Filter | string)[]} filters
     */
    replace(filters) {
        this.#enter();
        const module = this.#module,
            before = this.#own.at;
        try {
            module.withFilters(filters, (list, count) =>
                module.within(this.#device.context, () =>
                    module.check(module.x.abbe_plan_replace(before, list, count), this.#device.context),
                ),
            );
            return;
        } catch (error) {
            // another transform may be needed
            if (/** @type {any} */ (error).code !== 'ABBE_ERR_UNSUPPORTED') throw error;
        }
        this.#own.at = this.#make(filters);
        this.#bank = filters.length;
        this.result = this.#findResult();
        module.within(this.#device.context, () => module.release('abbe_plan_destroy', before));
    }

    /**
     * Puts other gains into a rectangle of a mask, at column x and row y, and at the opposite frequencies. Only what they
     * touch is computed anew. Throws ABBE_ERR_UNSUPPORTED where replace() is needed: on a GPU, where the gain of frequency
     * 0 changes, and others; see abbe_plan_repaint. The plan is unchanged then.
     * @param {import('./module.js').Matrix} gains
     * @param {number} x
     * @param {number} y
     * @param {number} [filter] its index in the bank
     */
    repaint(gains, x, y, filter = 0) {
        this.#enter();
        const module = this.#module,
            context = this.#device.context;
        module.withMatrix(gains, matrix =>
            module.within(context, () =>
                module.check(module.x.abbe_plan_repaint(this.#own.at, filter, matrix, x, y), context),
            ),
        );
    }

    /** Every method with its predicted time, and the choice. @returns {Candidate[]} */
    explain() {
        this.use();
        return this.#module.json(this.#module.x.explain(this.#own.at));
    }

    /** The device that the plan runs on. */
    get device() {
        this.use();
        const { x, memory } = this.#module,
            at = x.abbe_plan_device(this.#own.at);
        return { name: memory.read(x.abbe_device_name(at)), detail: memory.read(x.abbe_device_detail(at)) };
    }

    /** The bytes that the plan takes at most. @returns {number} */
    get memory() {
        this.use();
        return this.#module.x.abbe_plan_memory(this.#own.at) >>> 0;
    }
}
