// libabbe: filters images in the Fourier plane, by the WebAssembly module beside this file.
import { BORDERS, METHODS, integer } from './check.js';
import { Device } from './device.js';
import { invalid } from './error.js';
import { Filter } from './filter.js';
import { Context } from './gl.js';
import { instantiate } from './module.js';
import { TYPES } from './picture.js';

export { AbbeError } from './error.js';
export { Device } from './device.js';
export { Filter } from './filter.js';
export { Plan } from './plan.js';

/** @typedef {import('./picture.js').Picture} Picture */
/** @typedef {import('./picture.js').Samples} Samples */
/** @typedef {import('./picture.js').Type} Type */
/** @typedef {import('./device.js').Border} Border */
/** @typedef {import('./device.js').Method} Method */
/** @typedef {import('./device.js').PlanParams} PlanParams */
/** @typedef {import('./device.js').Peak} Peak */
/** @typedef {import('./plan.js').Candidate} Candidate */
/** @typedef {import('./filter.js').FilterInfo} FilterInfo */
/** @typedef {import('./module.js').Module} Module */
/** @typedef {import('./module.js').Matrix} Matrix */
/** @typedef {import('./module.js').Loader} Loader */
/** @typedef {import('./module.js').OpenOptions} OpenOptions */
/**
 * @typedef {object} GLOptions
 * @property {'fast' | 'fialka' | 'moreland'} [engine] default "fast"
 * @property {boolean} [half] keeps 16 bits between passes
 * @property {boolean} [topDown] the first row of a texture is the top row of the picture; default true
 * @property {boolean} [alone] nobody else uses the context: its state is neither saved nor restored
 */
/**
 * @typedef {object} CatalogueKey
 * @property {string} name
 * @property {string} summary
 * @property {'number' | 'integer' | 'frequency' | 'choice' | 'list' | 'file'} type
 * @property {string | null} default
 * @property {string | null} follows the key that the default is derived from
 * @property {number} min
 * @property {number} max
 * @property {string | null} unit
 * @property {string[]} choices
 */
/** @typedef {{ name: string, summary: string, inFrequency: boolean, rule: string | null, keys: CatalogueKey[] }} CatalogueEntry */

/** The library: makes filters and devices. */
export class Abbe {
    #module;
    /** "major.minor.patch" @type {string} */
    version;
    borders = [...BORDERS];
    methods = [...METHODS];
    types = TYPES.slice(1);

    /** @internal @param {Module} module */
    constructor(module) {
        this.#module = module;
        this.version = module.memory.read(module.x.abbe_version());
    }

    /** The bytes of the module's memory, which grows and never shrinks. @returns {number} */
    get memory() {
        return this.#module.memory.u8.length;
    }

    /**
     * Opens the CPU, or adopts a WebGL 2 context.
     * @param {string | WebGL2RenderingContext} [where] "cpu", "cpu:plain" or "cpu:baseline", or a context
     * @param {GLOptions} [options] for a context
     * @returns {Device}
     */
    device(where = 'cpu', options = {}) {
        const module = this.#module;
        if (typeof where === 'string')
            return new Device(
                module,
                module.text(where, at => module.made(out => module.x.abbe_device_open(at, 0, out))),
                null,
            );
        if (!where || typeof where.createVertexArray !== 'function')
            return invalid('device: this is neither a name nor a WebGL 2 context');
        const { engine = 'fast', half = false, topDown = true, alone = false } = options;
        const context = new Context(where, module.memory);
        const words = `${engine}:${half ? 'f16' : 'f32'}`;
        where.getExtension('EXT_color_buffer_float');
        try {
            return new Device(
                module,
                module.text(words, at =>
                    module.within(context, () =>
                        module.made(out => module.x.adopt(at, Number(topDown), Number(alone), out), context),
                    ),
                ),
                context,
            );
        } catch (error) {
            context.close();
            throw error;
        }
    }

    /** @param {string} text @param {{ load?: Loader }} [options] @returns {Filter} */
    filter(text, options = {}) {
        return this.#module.parse(text, options.load);
    }

    /** @param {Matrix} taps @param {{ normalize?: boolean, centre?: [number, number] }} [options] @returns {Filter} */
    kernel(taps, options = {}) {
        const module = this.#module;
        return new Filter(
            module,
            module.withMatrix(taps, matrix =>
                module.withCentre(options.centre, centre =>
                    module.made(out => module.x.kernel(matrix, Number(!!options.normalize), centre, out)),
                ),
            ),
        );
    }

    /**
     * @param {ArrayLike<number>} row @param {ArrayLike<number>} column
     * @param {{ normalize?: boolean, centre?: [number, number] }} [options]
     * @returns {Filter}
     */
    separable(row, column, options = {}) {
        const module = this.#module;
        return new Filter(
            module,
            module.doubles(row, x =>
                module.doubles(column, y =>
                    module.withCentre(options.centre, centre =>
                        module.made(out =>
                            module.x.separable(
                                x,
                                row.length,
                                y,
                                column.length,
                                Number(!!options.normalize),
                                centre,
                                out,
                            ),
                        ),
                    ),
                ),
            ),
        );
    }

    /** Gains over the frequency plane; frequency 0 is at column width/2, row height/2. @param {Matrix} gains @returns {Filter} */
    mask(gains) {
        const module = this.#module;
        return new Filter(
            module,
            module.withMatrix(gains, matrix =>
                module.made(out => module.x.abbe_filter_from_mask(matrix, out)),
            ),
        );
    }

    /** Complex gains, interleaved { re, im }, frequency 0 first. @param {number} width @param {number} height @param {ArrayLike<number>} gains @returns {Filter} */
    gains(width, height, gains) {
        const module = this.#module;
        if (gains.length !== 2 * width * height)
            invalid(
                `gains: ${width} × ${height} complex gains are ${2 * width * height} numbers, not ${gains.length}`,
            );
        return new Filter(
            module,
            module.doubles(gains, at =>
                module.made(out =>
                    module.x.abbe_filter_from_gains(
                        integer(width, 'width'),
                        integer(height, 'height'),
                        at,
                        out,
                    ),
                ),
            ),
        );
    }

    /** One filter that applies several, one after the other. @param {(Filter | string)[]} filters @returns {Filter} */
    chain(filters) {
        const module = this.#module;
        return new Filter(
            module,
            module.withFilters(filters, (at, count) =>
                module.made(out => module.x.abbe_filter_chain(at, count, out)),
            ),
        );
    }

    /** Reads a matrix from text. @param {string} text */
    matrix(text) {
        const module = this.#module,
            length = new TextEncoder().encode(text).length;
        return module.text(text, at =>
            module.block(12, matrix => {
                module.check(module.x.abbe_matrix_parse(at, length, 0, matrix));
                return module.takeMatrix(matrix);
            }),
        );
    }

    /** The named filters, with their keys. @returns {CatalogueEntry[]} */
    catalogue() {
        return this.#module.json(this.#module.x.catalogue());
    }
}

/** Compiles the module and makes an instance of it. @param {OpenOptions} [options] @returns {Promise<Abbe>} */
export async function open(options = {}) {
    return new Abbe(await instantiate(options));
}
