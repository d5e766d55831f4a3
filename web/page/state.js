// What the page shows at present. Every field is written by the one module that is named beside it.
import { Engine } from './engine.js';

/** @typedef {{ name: string, own: string, width: number, height: number, alpha: boolean, depth: number, canvas: OffscreenCanvas, given?: Promise<unknown> }} Picture */
/** @typedef {{ canvas: OffscreenCanvas, left: number, top: number, width: number, height: number, sequence: number }} Shown pixels of the picture that a canvas covers, and the number of the document that they are of */
/** @typedef {{ width: number, height: number, magnitude: Uint8Array, phase: Uint8Array }} Spectrum */
/** @typedef {{ size: number, values: Float32Array }} Kernel */
/** @typedef {{ x: number, y: number, radius: number, fundamental: number }} Peak in fractions of Nyquist */

export const state = {
    /** opening.js @type {Picture | null} */
    picture: null,
    /** moving.js: what replaces the picture again and again @type {{ source: any, close(): void } | null} */
    film: null,
    /** opening.js @type {Spectrum | null} */
    spectrum: null,
    /** opening.js: pictures of the spectrum, each half the size of the one before @type {OffscreenCanvas[]} */
    levels: [],
    /** opening.js @type {Peak[]} */
    peaks: [],
    /** results.js @type {Kernel | null} */
    kernel: null,
    /** results.js @type {OffscreenCanvas | null} */
    kernelPicture: null,
    /** results.js @type {Shown | null} */
    result: null,
    /** results.js: lies over the result until that is as new @type {Shown | null} */
    preview: null,
    /** results.js: 0.5 where the result is shown on mid grey */
    offset: 0,
    /** main.js: the filters, and the name of the CPU @type {any[]} */
    catalogue: [],
    detail: '',
};

/** The worker that holds the picture: previews, kernels, spectra, and the results of small pictures. */
export const live = new Engine();

/** A canvas with these pixels; `reused` is taken if it has their size. */
export function toCanvas(rgba, width, height, reused = null) {
    const canvas =
        reused?.width === width && reused?.height === height ? reused : new OffscreenCanvas(width, height);
    canvas.getContext('2d').putImageData(new ImageData(rgba, width, height), 0, 0);
    return canvas;
}
