// One instance of the WebAssembly module: its memory, its errors, its callbacks.
import { integer } from './check.js';
import { AbbeError, invalid } from './error.js';
import { Filter } from './filter.js';
import { glFunctions } from './gl.js';
import { Memory } from './memory.js';
import { Pictures } from './picture.js';

/** @typedef {import('./gl.js').Context} Context */
/** @typedef {{ width: number, height: number, values: ArrayLike<number> }} Matrix Rows of numbers, from the top. */
/** @typedef {(filter: 'kernel' | 'mask', name: string) => Matrix} Loader */
/**
 * @typedef {object} OpenOptions
 * @property {string | URL | BufferSource | WebAssembly.Module} [wasm] the address of abbe.wasm, its bytes, or the compiled module
 */

/** One instance of the library's module. */
export class Module {
    /** @type {Record<string, any>} */
    x;
    memory;
    pictures;
    registry = new FinalizationRegistry((/** @type {() => void} */ release) => release());
    /** The context of the device that is being called. @type {Context | null} */
    current = null;
    /** @type {((done: number) => boolean | void) | null} */
    progress = null;
    /** @type {Loader | null} */
    loader = null;
    /** What a callback has thrown. @type {{ error: unknown } | null} */
    thrown = null;

    /** @param {WebAssembly.Exports} exports @param {Memory} memory */
    constructor(exports, memory) {
        this.x = exports;
        this.memory = memory;
        this.pictures = new Pictures(memory);
    }

    /** Throws what a callback has thrown. */
    rethrow() {
        const thrown = this.thrown;
        this.thrown = null;
        if (thrown) throw thrown.error;
    }

    /** Throws for an error code. @param {number} error @param {Context | null} [context] */
    check(error, context = null) {
        this.rethrow();
        if (context && !context.alive)
            throw new AbbeError(
                'ABBE_ERR_DEVICE',
                'gl: the WebGL context was lost; adopt it again when it is restored',
            );
        if (error)
            throw new AbbeError(
                this.memory.read(this.x.abbe_error_name(error)),
                this.memory.read(this.x.abbe_last_error()),
            );
    }

    /**
     * Calls the library with a context as the target of OpenGL's functions.
     * @template T @param {Context | null} context @param {() => T} call @returns {T}
     */
    within(context, call) {
        const before = this.current;
        this.current = context;
        try {
            return call();
        } finally {
            this.current = before;
        }
    }

    /** Memory for the time of a call. @template T @param {number} bytes @param {(at: number) => T} call @returns {T} */
    block(bytes, call) {
        const at = this.memory.alloc(bytes);
        try {
            return call(at);
        } finally {
            this.memory.free(at);
        }
    }

    /** @template T @param {string} text @param {(at: number) => T} call @returns {T} */
    text(text, call) {
        if (typeof text !== 'string') invalid(`a filter is ${text}; it must be a text or a Filter`);
        const at = this.memory.text(text);
        try {
            return call(at);
        } finally {
            this.memory.free(at);
        }
    }

    /** The object that a function writes through its last parameter. @param {(out: number) => number} call @param {Context | null} [context] */
    made(call, context = null) {
        return this.block(4, out => {
            this.memory.i32[out >> 2] = 0;
            this.check(call(out), context);
            return this.memory.u32[out >> 2];
        });
    }

    /** Calls a destroy or close function. @param {string} name @param {number} at */
    release(name, at) {
        this.block(4, place => {
            this.memory.u32[place >> 2] = at;
            this.x[name](place);
        });
    }

    /** Parses a text of the library and frees it. @param {number} at @returns {any} */
    json(at) {
        if (!at) throw new AbbeError('ABBE_ERR_MEMORY', 'not enough memory');
        const value = JSON.parse(this.memory.read(at));
        this.memory.free(at);
        return value;
    }

    /** Copies the values of an abbe_matrix and frees it. @param {number} matrix */
    takeMatrix(matrix) {
        const [width, height, values] = this.memory.u32.subarray(matrix >> 2, (matrix >> 2) + 3);
        const copy = this.memory.f64.slice(values >> 3, (values >> 3) + width * height);
        this.x.abbe_matrix_free(matrix);
        return { width, height, values: copy };
    }

    /** Fills an abbe_matrix. abbe_matrix_free must follow. @param {Matrix} from @param {number} matrix */
    giveMatrix(from, matrix) {
        if (from.values.length !== from.width * from.height)
            invalid(`a matrix of ${from.width} × ${from.height} has ${from.values.length} values`);
        this.check(
            this.x.abbe_matrix_create(integer(from.width, 'width'), integer(from.height, 'height'), matrix),
        );
        this.memory.f64.set(from.values, this.memory.u32[(matrix >> 2) + 2] >> 3);
    }

    /** @template T @param {Matrix} from @param {(matrix: number) => T} call @returns {T} */
    withMatrix(from, call) {
        return this.block(12, matrix => {
            this.giveMatrix(from, matrix);
            try {
                return call(matrix);
            } finally {
                this.x.abbe_matrix_free(matrix);
            }
        });
    }

    /** @template T @param {ArrayLike<number>} numbers @param {(at: number) => T} call @returns {T} */
    doubles(numbers, call) {
        return this.block(8 * numbers.length, at => {
            this.memory.f64.set(numbers, at >> 3);
            return call(at);
        });
    }

    /** @template T @param {[number, number] | undefined} centre @param {(at: number) => T} call @returns {T} */
    withCentre(centre, call) {
        if (!centre) return call(0);
        return this.block(8, at => {
            this.memory.i32.set(
                centre.map(side => integer(side, 'centre')),
                at >> 2,
            );
            return call(at);
        });
    }

    /** @param {string} text @param {Loader} [load] */
    parse(text, load) {
        this.loader = load ?? null;
        try {
            return new Filter(
                this,
                this.text(text, at => this.made(out => this.x.parse(at, Number(!!load), out))),
            );
        } finally {
            this.loader = null;
        }
    }

    /**
     * An array of pointers to filters; those given as texts live for the time of the call.
     * @template T @param {(Filter | string)[]} filters @param {(at: number, count: number) => T} call @returns {T}
     */
    withFilters(filters, call) {
        /** @type {Filter[]} */
        const temporary = [];
        try {
            if (!Array.isArray(filters)) invalid('filters is no list');
            const list = filters.map(filter => {
                if (filter instanceof Filter) {
                    filter.use();
                    return filter.at;
                }
                temporary.push(this.parse(filter));
                return temporary[temporary.length - 1].at;
            });
            return this.block(4 * list.length, at => {
                this.memory.u32.set(list, at >> 2);
                return call(at, list.length);
            });
        } finally {
            for (const filter of temporary) filter.dispose();
        }
    }

    /**
     * Calls back into the application; what it throws is thrown again when the library has returned.
     * @param {() => number} call @param {number} failed
     */
    #guard(call, failed) {
        try {
            return call();
        } catch (error) {
            this.thrown ??= { error };
            return failed;
        }
    }

    /** host.load @param {number} filter @param {number} name @param {number} matrix */
    load(filter, name, matrix) {
        return this.#guard(() => {
            const kind = /** @type {'kernel' | 'mask'} */ (this.memory.read(filter));
            this.giveMatrix(/** @type {Loader} */ (this.loader)(kind, this.memory.read(name)), matrix);
            return 0;
        }, -1);
    }

    /** host.progress @param {number} done */
    report(done) {
        return this.#guard(() => Number(this.progress?.(done) === true), 1);
    }
}

/** What the module's libc asks of a system: a clock, and no files. @param {Memory} memory */
function system(memory) {
    const BAD_DESCRIPTOR = 8;
    return {
        clock_time_get(
            /** @type {number} */ _clock,
            /** @type {bigint} */ _precision,
            /** @type {number} */ at,
        ) {
            new DataView(memory.u8.buffer).setBigUint64(
                at,
                BigInt(Math.round(performance.now() * 1e6)),
                true,
            );
            return 0;
        },
        fd_close: () => BAD_DESCRIPTOR,
        fd_seek: () => BAD_DESCRIPTOR,
        fd_write: () => BAD_DESCRIPTOR,
    };
}

/** @param {string | URL} address @returns {Promise<WebAssembly.Module>} */
async function compileFrom(address) {
    const url = new URL(address, import.meta.url);
    if (url.protocol === 'file:') {
        const files = 'node:fs/promises'; // not a literal, so that bundlers for browsers leave it alone
        const { readFile } = await import(/* @vite-ignore */ files);
        return WebAssembly.compile(await readFile(url));
    }
    const response = await fetch(url);
    if (!response.ok)
        throw new AbbeError('ABBE_ERR_FILE', `${url}: ${response.status} ${response.statusText}`);
    return WebAssembly.compile(await response.arrayBuffer());
}

/** Compiles the module and makes an instance of it. @param {OpenOptions} options @returns {Promise<Module>} */
export async function instantiate({ wasm = new URL('./abbe.wasm', import.meta.url) }) {
    const code =
        wasm instanceof Object && !(wasm instanceof URL)
            ? wasm instanceof WebAssembly.Module
                ? wasm
                : await WebAssembly.compile(/** @type {BufferSource} */ (wasm))
            : await compileFrom(wasm);
    const memory = new Memory();
    /** @type {Module | undefined} */
    let module;
    const own = () => /** @type {Module} */ (module);
    const instance = await WebAssembly.instantiate(code, {
        gl: glFunctions(memory, () => own().current ?? invalid('no WebGL context is adopted')),
        host: {
            load: (/** @type {number} */ filter, /** @type {number} */ name, /** @type {number} */ matrix) =>
                own().load(filter, name, matrix),
            progress: (/** @type {number} */ done) => own().report(done),
        },
        wasi_snapshot_preview1: system(memory),
    });
    memory.attach(instance.exports);
    module = new Module(instance.exports, memory);
    module.x._initialize?.();
    return module;
}
