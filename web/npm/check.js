// Names and numbers of parameters.
import { invalid } from './error.js';

export const BORDERS = /** @type {const} */ (['reflect', 'mirror', 'clamp', 'zero', 'constant', 'wrap']);
export const METHODS = /** @type {const} */ (['auto', 'direct', 'separable', 'fft', 'tiles']);
export const ALPHAS = ['none', 'premultiply', 'independent'];
export const NONFINITES = ['error', 'zero', 'trust'];
export const PRECISIONS = ['full', 'half', 'double'];
export const SCALES = ['unit', 'value'];
export const WINDOWS = ['same', 'full', 'valid'];
export const RECTANGLE = 3;

/**
 * The number of a name in a list.
 * @param {readonly string[]} names @param {string} name @param {string} what
 */
export function numberOf(names, name, what) {
    const number = names.indexOf(name);
    return number >= 0 ? number : invalid(`${what} '${name}' is unknown; it is one of ${names.join(', ')}`);
}

/** A number for a parameter that is an integer of the library. @param {unknown} value @param {string} what */
export function integer(value, what) {
    return Number.isInteger(value) && Math.abs(/** @type {number} */ (value)) < 2 ** 31
        ? /** @type {number} */ (value)
        : invalid(`${what} is ${value}; it must be an integer`);
}
