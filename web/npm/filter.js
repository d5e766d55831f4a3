// Filters.
import { integer } from './check.js';
import { Held } from './held.js';

/** @typedef {import('./module.js').Module} Module */
/** @typedef {{ components: number, inFrequency: boolean, width: number, height: number, centreX: number, centreY: number }} FilterInfo */

/** A filter; immutable. Plans keep no reference to it. */
export class Filter extends Held {
    #module;
    /** @internal */
    at;

    /** @internal @param {Module} module @param {number} at */
    constructor(module, at) {
        super('filter', module.registry, () => module.release('abbe_filter_destroy', at));
        this.#module = module;
        this.at = at;
    }

    /** @returns {FilterInfo} */
    get info() {
        this.use();
        const { x, memory } = this.#module,
            at = x.abbe_filter_describe(this.at);
        const [components, inFrequency, width, height, centreX, centreY] = memory.i32.subarray(
            at >> 2,
            (at >> 2) + 6,
        );
        return { components, inFrequency: (inFrequency & 255) !== 0, width, height, centreX, centreY };
    }

    /**
     * The taps, as every method uses them. A filter that is inFrequency has none.
     * @param {number} [component] 1 for the second component of a gradient magnitude
     * @returns {{ width: number, height: number, values: Float64Array }}
     */
    taps(component = 0) {
        this.use();
        const module = this.#module;
        return module.block(12, matrix => {
            module.check(module.x.abbe_filter_taps(this.at, integer(component, 'component'), matrix));
            return module.takeMatrix(matrix);
        });
    }

    /**
     * The complex gain { re, im } at a frequency in cycles per pixel; fy points down.
     * @param {number} fx @param {number} fy @param {number} [component]
     * @returns {[number, number]}
     */
    gain(fx, fy, component = 0) {
        this.use();
        const module = this.#module;
        return module.block(16, at => {
            module.check(module.x.abbe_filter_gain(this.at, integer(component, 'component'), fx, fy, at));
            return [module.memory.f64[at >> 3], module.memory.f64[(at >> 3) + 1]];
        });
    }

    /**
     * How far the filter looks to each side, in pixels.
     * @param {number} [tolerance]
     */
    reach(tolerance = 1e-4) {
        this.use();
        const module = this.#module;
        return module.block(16, at => {
            module.check(module.x.abbe_filter_reach(this.at, tolerance, at, at + 4, at + 8, at + 12));
            const [left, right, up, down] = module.memory.i32.subarray(at >> 2, (at >> 2) + 4);
            return { left, right, up, down };
        });
    }
}
