// Devices: the CPU, and adopted WebGL 2 contexts.
import {
    ALPHAS,
    BORDERS,
    METHODS,
    NONFINITES,
    PRECISIONS,
    RECTANGLE,
    SCALES,
    WINDOWS,
    integer,
    numberOf,
} from './check.js';
import { invalid } from './error.js';
import { Held } from './held.js';
import { TYPES } from './picture.js';
import { Plan } from './plan.js';

/** @typedef {import('./module.js').Module} Module */
/** @typedef {import('./gl.js').Context} Context */
/** @typedef {import('./filter.js').Filter} Filter */
/** @typedef {import('./picture.js').Picture} Picture */
/** @typedef {import('./picture.js').Type} Type */
/** @typedef {'reflect' | 'mirror' | 'clamp' | 'zero' | 'constant' | 'wrap'} Border */
/** @typedef {'auto' | 'direct' | 'separable' | 'fft' | 'tiles'} Method */
/**
 * @typedef {object} PlanParams
 * @property {number} width
 * @property {number} height
 * @property {number} [channels] default 4
 * @property {Type} [type] of the source; default "u8"
 * @property {Type} [resultType] default: that of the source
 * @property {(Filter | string)[]} filters the bank: one result each
 * @property {Border} [border] default "reflect"
 * @property {number} [borderValue]
 * @property {Method} [method]
 * @property {'none' | 'premultiply' | 'independent'} [alpha] default "none"
 * @property {'error' | 'zero' | 'trust'} [nonfinite]
 * @property {'full' | 'half' | 'double'} [precision]
 * @property {'unit' | 'value'} [scale]
 * @property {number} [offset]
 * @property {boolean} [linearLight]
 * @property {boolean} [correlate]
 * @property {[number, number]} [tile] pixels that a tile yields at least
 * @property {'same' | 'full' | 'valid' | [x: number, y: number, width: number, height: number]} [window]
 */
/** @typedef {{ x: number, y: number, amplitude: number, prominence: number, radius: number, harmonic: number, fundamental: number }} Peak */

/** Where filtering runs. Its plans must be disposed of before it. */
export class Device extends Held {
    #module;
    #at;
    /** @internal @type {Context | null} */
    context;
    /** "cpu" or "gl" @type {string} */
    name;
    /** @type {string} */
    detail;
    /** Whether a WebGL device computes on the CPU: the device "cpu" is many times faster then. */
    software;

    /** @internal @param {Module} module @param {number} at @param {Context | null} context */
    constructor(module, at, context) {
        super('device', module.registry, () => {
            module.within(context, () => module.release('abbe_device_close', at));
            context?.close();
        });
        this.#module = module;
        this.#at = at;
        this.context = context;
        this.name = module.memory.read(module.x.abbe_device_name(at));
        this.detail = module.memory.read(module.x.abbe_device_detail(at));
        this.software =
            context !== null && /llvmpipe|softpipe|swrast|swiftshader|basic render/i.test(this.detail);
    }

    /** Whether the WebGL context was lost. Dispose of the device and its plans, and adopt the context again once it was restored. */
    get lost() {
        return this.context !== null && !this.context.alive;
    }

    /** @param {PlanParams} params @returns {Plan} */
    plan(params) {
        this.use();
        const module = this.#module;
        const { width, height, channels = 4, type = 'u8', resultType = type, window = 'same' } = params;
        const rectangle = Array.isArray(window) ? window : [0, 0, 0, 0];
        const numbers = [
            integer(width, 'width'),
            integer(height, 'height'),
            integer(channels, 'channels'),
            numberOf(TYPES, type, 'type'),
            numberOf(TYPES, resultType, 'resultType'),
            numberOf(BORDERS, params.border ?? 'reflect', 'border'),
            params.borderValue ?? 0,
            numberOf(METHODS, params.method ?? 'auto', 'method'),
            ...(params.tile ?? [0, 0]).map(side => integer(side, 'tile')),
            numberOf(ALPHAS, params.alpha ?? 'none', 'alpha'),
            numberOf(NONFINITES, params.nonfinite ?? 'error', 'nonfinite'),
            params.offset ?? 0,
            Number(!!params.linearLight),
            Number(!!params.correlate),
            numberOf(PRECISIONS, params.precision ?? 'full', 'precision'),
            numberOf(SCALES, params.scale ?? 'unit', 'scale'),
            Array.isArray(window) ? RECTANGLE : numberOf(WINDOWS, window, 'window'),
            ...rectangle.map(side => integer(side, 'window')),
        ];
        const make = (/** @type {(Filter | string)[]} */ filters) =>
            module.withFilters(filters, (list, count) =>
                module.doubles(numbers, at =>
                    module.within(this.context, () =>
                        module.made(out => module.x.plan(this.#at, at, list, count, out), this.context),
                    ),
                ),
            );
        return new Plan(module, this, make, params.filters, { width, height, channels, type }, resultType);
    }

    /**
     * Filters a picture by a text, in one call; the plan is kept for the next one.
     * @param {string} filter @param {Picture} picture @param {{ border?: Border }} [options]
     * @returns {Required<Pick<Picture, 'data' | 'width' | 'height' | 'channels' | 'type'>>} a packed picture of the same type
     */
    apply(filter, picture, options = {}) {
        this.use();
        const module = this.#module,
            from = module.pictures.describe(picture, 'picture');
        const result = module.pictures.packed(from, from.type);
        const border = numberOf(BORDERS, options.border ?? 'reflect', 'border');
        module.text(filter, text =>
            module.pictures.lend([from], [module.pictures.describe(result, 'result')], views =>
                module.within(this.context, () =>
                    module.check(
                        module.x.abbe_apply(this.#at, text, border, views, views + 32),
                        this.context,
                    ),
                ),
            ),
        );
        return result;
    }

    /** The packed spectrum of a picture: F32, of the same shape. Of the device "cpu". @param {Picture} picture */
    spectrum(picture) {
        return this.#transform('abbe_spectrum_forward', picture, 'f32');
    }

    /** The picture of a packed spectrum. @param {Picture} packed @param {Type} [type] */
    ispectrum(packed, type = 'f32') {
        return this.#transform('abbe_spectrum_inverse', packed, type);
    }

    /** @param {string} name @param {Picture} picture @param {Type} type */
    #transform(name, picture, type) {
        this.use();
        const module = this.#module,
            from = module.pictures.describe(picture, 'picture');
        const result = module.pictures.packed(from, type);
        module.pictures.lend([from], [module.pictures.describe(result, 'result')], views =>
            module.check(module.x[name](this.#at, views, views + 32)),
        );
        return result;
    }

    /**
     * The transform of width × height complex samples, interleaved { re, im }, frequency 0 first. Forward divides by
     * width · height.
     * @param {number} width @param {number} height @param {Float32Array} samples @param {{ inverse?: boolean }} [options]
     */
    fft(width, height, samples, options = {}) {
        this.use();
        if (samples.length !== 2 * width * height)
            invalid(
                `fft: ${width} × ${height} complex samples are ${2 * width * height} numbers, not ${samples.length}`,
            );
        const module = this.#module;
        return module.block(samples.byteLength, at => {
            new Float32Array(module.memory.u8.buffer, at, samples.length).set(samples);
            const transform = options.inverse ? module.x.abbe_fft_inverse : module.x.abbe_fft_forward;
            module.check(transform(this.#at, integer(width, 'width'), integer(height, 'height'), at, at));
            return new Float32Array(module.memory.u8.buffer, at, samples.length).slice();
        });
    }

    /**
     * The strongest periodic components of a picture without alpha (see `channels` of Picture).
     * @param {Picture} picture @param {{ most?: number, prominence?: number }} [options]
     * @returns {Peak[]}
     */
    peaks(picture, options = {}) {
        this.use();
        const module = this.#module,
            from = module.pictures.describe(picture, 'picture');
        return module.pictures.lend([from], [], view =>
            module.json(
                module.made(out =>
                    module.x.peaks(
                        this.#at,
                        view,
                        integer(options.most ?? 0, 'most'),
                        options.prominence ?? 0,
                        out,
                    ),
                ),
            ),
        );
    }
}
