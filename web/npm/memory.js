// The memory of a module: views that survive its growth, texts, and blocks.

import { AbbeError } from './error.js';

/** Memory of one module. Views are made anew when the module has grown, which detaches the old ones. */
export class Memory {
    /** @type {Record<string, any>} */
    #exports = {};
    /** @type {ArrayBuffer | null} */
    #buffer = null;
    #u8 = new Uint8Array(0);
    #i32 = new Int32Array(0);
    #u32 = new Uint32Array(0);
    #f64 = new Float64Array(0);

    /** @param {WebAssembly.Exports} exports */
    attach(exports) {
        this.#exports = exports;
    }

    #renew() {
        const buffer = this.#exports.memory.buffer;
        if (this.#buffer === buffer && buffer.byteLength) return;
        this.#buffer = buffer;
        this.#u8 = new Uint8Array(buffer);
        this.#i32 = new Int32Array(buffer);
        this.#u32 = new Uint32Array(buffer);
        this.#f64 = new Float64Array(buffer);
    }

    get u8() {
        this.#renew();
        return this.#u8;
    }
    get i32() {
        this.#renew();
        return this.#i32;
    }
    get u32() {
        this.#renew();
        return this.#u32;
    }
    get f64() {
        this.#renew();
        return this.#f64;
    }

    /** A block of memory; at least one byte. @param {number} bytes @returns {number} */
    alloc(bytes) {
        const at = bytes < 0x7fffffff ? this.#exports.malloc(Math.max(bytes, 1)) >>> 0 : 0;
        if (!at) throw new AbbeError('ABBE_ERR_MEMORY', `no memory for ${bytes} bytes`);
        return at;
    }

    /** @param {number} at */
    free(at) {
        this.#exports.free(at);
    }

    /** A copy of a text, which must be freed. @param {string} text @returns {number} */
    text(text) {
        const bytes = new TextEncoder().encode(text + '\0');
        const at = this.alloc(bytes.length);
        this.u8.set(bytes, at);
        return at;
    }

    /** The text at an address: `length` bytes, or up to its final zero. @param {number} at @param {number} length */
    read(at, length = -1) {
        const bytes = this.u8;
        const end = length < 0 ? bytes.indexOf(0, at) : at + length;
        return at ? new TextDecoder().decode(bytes.slice(at, end)) : '';
    }
}
