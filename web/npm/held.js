// Objects that hold memory of the module.
import { invalid } from './error.js';

/** Engines without `using` lack the symbol. @type {typeof Symbol.dispose} */
const dispose = Symbol.dispose ?? /** @type {any} */ (Symbol.for('Symbol.dispose'));

/** An object of the library that holds memory of the module until it is disposed of. */
export class Held {
    /** @type {(() => void) | null} */
    #release;
    #registry;
    #name;

    /** @param {string} name @param {FinalizationRegistry<() => void>} registry @param {() => void} release */
    constructor(name, registry, release) {
        this.#name = name;
        this.#release = release;
        this.#registry = registry;
        registry.register(this, release, this);
    }

    /** Releases the memory. Later calls do nothing. */
    dispose() {
        this.#registry.unregister(this);
        const release = this.#release;
        this.#release = null;
        release?.();
    }

    /** What `using` calls. */
    [dispose]() {
        this.dispose();
    }

    /** Whether the memory was released. */
    get disposed() {
        return this.#release === null;
    }

    /** Throws if the memory was released. */
    use() {
        if (!this.#release) invalid(`this ${this.#name} was disposed of`);
    }
}
