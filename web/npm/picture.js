// Pictures of JavaScript, views of typed arrays, and their way into the memory of the module and back.

import { invalid } from './error.js';

/** @typedef {import('./memory.js').Memory} Memory */
/** @typedef {'u8' | 'u16' | 'f16' | 'f32' | 'f64' | 'i16' | 'u32' | 'i32'} Type */
/** @typedef {Uint8Array | Uint8ClampedArray | Uint16Array | Float32Array | Float64Array | Int16Array | Uint32Array | Int32Array} Samples and Float16Array where it exists */
/**
 * A view of pixels. Sample (x, y, c) is data[offset + y·stride + x·pixelStride + c·channelStride]. Strides and offset
 * count samples and may be negative. An ImageData is a picture.
 * @typedef {object} Picture
 * @property {Samples} data its class is the type
 * @property {number} width
 * @property {number} height
 * @property {number} [channels] default: data.length / (width · height)
 * @property {number} [offset] default 0
 * @property {number} [stride] from row to row; default: packed
 * @property {number} [pixelStride] from pixel to pixel; default: packed
 * @property {number} [channelStride] from channel to channel; default 1
 * @property {Type} [type] "f16" for halves in a Uint16Array
 */
/** @typedef {{ data: Samples, width: number, height: number, channels: number, offset: number, stride: number, pixelStride: number, channelStride: number, type: Type }} View A picture with every field. */
/** @typedef {{ width: number, height: number, channels: number }} Shape */

/** The types in the order of abbe_type. */
export const TYPES = ['', 'u8', 'u16', 'f16', 'f32', 'f64', 'i16', 'u32', 'i32'];

/** @type {Record<string, any>} */
const ARRAYS = {
    u8: Uint8Array,
    u16: Uint16Array,
    f16: /** @type {any} */ (globalThis).Float16Array ?? Uint16Array,
    f32: Float32Array,
    f64: Float64Array,
    i16: Int16Array,
    u32: Uint32Array,
    i32: Int32Array,
};
/** @type {Record<string, Type>} */
const TYPE_OF = {
    Uint8Array: 'u8',
    Uint8ClampedArray: 'u8',
    Uint16Array: 'u16',
    Float16Array: 'f16',
    Float32Array: 'f32',
    Float64Array: 'f64',
    Int16Array: 'i16',
    Uint32Array: 'u32',
    Int32Array: 'i32',
};

/** Strides in bytes are integers of 32 bits in the module. */
const STRIDE_MAX = 2 ** 28;

/** The bytes of an abbe_image. */
const VIEW_BYTES = 32;

/** Lends pictures to the module for the time of a call. */
export class Pictures {
    #memory;

    /** @param {Memory} memory */
    constructor(memory) {
        this.#memory = memory;
    }

    /** A new packed array. @param {Shape} shape @param {Type} type @returns {Samples} */
    empty(shape, type) {
        return new ARRAYS[type](shape.width * shape.height * shape.channels);
    }

    /** A new packed picture. @param {Shape} shape @param {Type} type */
    packed({ width, height, channels }, type) {
        return { data: this.empty({ width, height, channels }, type), width, height, channels, type };
    }

    /** @param {Samples} data @param {Type | undefined} type @param {string} what @returns {Type} */
    #typeOf(data, type, what) {
        const own = TYPE_OF[data?.constructor?.name];
        if (!own) return invalid(`${what}: data is no typed array of samples`);
        if (type && type !== own && !(type === 'f16' && own === 'u16'))
            invalid(`${what}: samples of type ${type} cannot lie in a ${data.constructor.name}`);
        return type ?? own;
    }

    /** Fills in the fields of a picture, and checks that it lies in its array. @param {Picture} picture @param {string} what @returns {View} */
    describe(picture, what) {
        const { data, width, height } = picture ?? {};
        const type = this.#typeOf(data, picture?.type, what);
        const whole = (/** @type {unknown} */ n) => Number.isSafeInteger(n);
        if (!whole(width) || !whole(height) || width < 1 || height < 1)
            invalid(`${what}: its size is ${width} × ${height}`);
        const {
            channels = Math.floor(data.length / (width * height)),
            offset = 0,
            channelStride = 1,
        } = picture;
        if (!whole(channels) || channels < 1)
            invalid(`${what}: ${data.length} samples are too few for ${width} × ${height} pixels`);
        const { pixelStride = Math.abs(channelStride) > 1 ? 1 : channels } = picture;
        const { stride = width * pixelStride } = picture;
        const reach = [(height - 1) * stride, (width - 1) * pixelStride, (channels - 1) * channelStride];
        const first = reach.reduce((sum, n) => sum + Math.min(n, 0), offset);
        const last = reach.reduce((sum, n) => sum + Math.max(n, 0), offset);
        if (
            ![offset, stride, pixelStride, channelStride].every(n => whole(n) && Math.abs(n) < STRIDE_MAX) ||
            first < 0 ||
            last >= data.length
        )
            invalid(
                `${what}: its samples ${first} to ${last} are not in the array, which has ${data.length}`,
            );
        return { data, width, height, channels, offset, stride, pixelStride, channelStride, type };
    }

    /**
     * The view of a picture, or of a packed array, that must have a shape and a type.
     * @param {Picture | Samples} picture @param {Shape} shape @param {Type} type @param {string} what
     */
    check(picture, shape, type, what) {
        /** @type {any} */
        let full = picture;
        if (ArrayBuffer.isView(picture)) {
            const { width, height, channels } = shape;
            full = { data: picture, width, height, channels, type: type === 'f16' ? type : undefined };
            if (/** @type {any} */ (picture).length !== width * height * channels)
                invalid(
                    `${what}: the array has ${/** @type {any} */ (picture).length} samples; ` +
                        `${width} × ${height} pixels of ${channels} channels are ${width * height * channels}`,
                );
        } else if (full?.type === undefined && type === 'f16') {
            full = { ...full, type };
        }
        const view = this.describe(full, what);
        if (view.width !== shape.width || view.height !== shape.height || view.channels < shape.channels)
            invalid(
                `${what}: the picture is ${view.width} × ${view.height} with ${view.channels} channels; ` +
                    `the plan's is ${shape.width} × ${shape.height} with ${shape.channels}`,
            );
        if (full.channels !== undefined && view.channels !== shape.channels)
            invalid(`${what}: the picture has ${view.channels} channels, the plan ${shape.channels}`);
        if (view.type !== type) invalid(`${what}: the samples are ${view.type}, the plan's ${type}`);
        return { ...view, channels: shape.channels };
    }

    /** The bytes of the array that a view covers, as [first, end) in its buffer. @param {View} view */
    #extent(view) {
        const { data, offset, width, height, channels, stride, pixelStride, channelStride } = view;
        const reach = [(height - 1) * stride, (width - 1) * pixelStride, (channels - 1) * channelStride];
        const first = reach.reduce((sum, n) => sum + Math.min(n, 0), offset);
        const last = reach.reduce((sum, n) => sum + Math.max(n, 0), offset);
        const size = data.BYTES_PER_ELEMENT;
        return { first: data.byteOffset + first * size, end: data.byteOffset + (last + 1) * size };
    }

    /** @param {View} view */
    #isPacked({ width, height, channels, stride, pixelStride, channelStride }) {
        return channelStride === 1 && pixelStride === channels && stride === width * channels && height > 0;
    }

    /**
     * Copies sources into the memory of the module, calls, and copies results back. The call gets the address of the
     * views: those of the sources, then those of the results. Arrays that overlap keep their places to each other.
     * @template T
     * @param {View[]} sources @param {View[]} results @param {(views: number) => T} call
     * @returns {T}
     */
    lend(sources, results, call) {
        const views = [...sources, ...results];
        /** @type {{ buffer: ArrayBufferLike, first: number, end: number, at: number, read: boolean, write: boolean }[]} */
        const regions = [];
        views.forEach((view, i) => {
            let region = {
                buffer: view.data.buffer,
                ...this.#extent(view),
                at: 0,
                read: i < sources.length || !this.#isPacked(view),
                write: i >= sources.length,
            };
            for (const other of [...regions]) {
                if (other.buffer !== region.buffer || other.end <= region.first || region.end <= other.first)
                    continue;
                regions.splice(regions.indexOf(other), 1);
                region = {
                    ...region,
                    first: Math.min(region.first, other.first),
                    end: Math.max(region.end, other.end),
                    read:
                        region.read || other.read || region.first !== other.first || region.end !== other.end,
                    write: region.write || other.write,
                };
            }
            regions.push(region);
        });
        const memory = this.#memory;
        /** @type {number[]} */
        const held = [];
        try {
            for (const region of regions) {
                region.at = memory.alloc(region.end - region.first + 8);
                held.push(region.at);
                region.at += region.first % 8; // samples stay aligned as they were
            }
            const table = memory.alloc(VIEW_BYTES * Math.max(views.length, 1));
            held.push(table);
            for (const region of regions)
                if (region.read)
                    memory.u8.set(
                        new Uint8Array(region.buffer, region.first, region.end - region.first),
                        region.at,
                    );
            views.forEach((view, i) => this.#write(view, regions, table + VIEW_BYTES * i));
            const value = call(table);
            for (const region of regions)
                if (region.write)
                    new Uint8Array(region.buffer, region.first, region.end - region.first).set(
                        memory.u8.subarray(region.at, region.at + region.end - region.first),
                    );
            return value;
        } finally {
            for (const at of held) memory.free(at);
        }
    }

    /** @param {View} view @param {{ buffer: ArrayBufferLike, first: number, end: number, at: number }[]} regions @param {number} at */
    #write(view, regions, at) {
        const size = view.data.BYTES_PER_ELEMENT,
            { first } = this.#extent(view);
        const region = /** @type {{ first: number, at: number }} */ (
            regions.find(one => one.buffer === view.data.buffer && one.first <= first && first < one.end)
        );
        const start = view.data.byteOffset + view.offset * size - region.first + region.at;
        this.#memory.i32.set(
            [
                start,
                view.width,
                view.height,
                view.channels,
                view.stride * size,
                TYPES.indexOf(view.type),
                view.pixelStride * size,
                view.channelStride * size,
            ],
            at >> 2,
        );
    }
}
