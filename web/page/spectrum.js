// Draws the spectrum and what is painted on it. The plane is a square of `side` units, its middle zero
// frequency.
import { paint } from './mask.js';

// From night blue to paper white.
const COLOURS = [
    [9, 11, 17],
    [38, 50, 92],
    [112, 124, 168],
    [246, 238, 222],
];

function colourOf(level) {
    const k = Math.min(Math.floor(level * 3), 2),
        t = level * 3 - k;
    return COLOURS[k].map((low, c) => low + (COLOURS[k + 1][c] - low) * t);
}

function hueOf(turn) {
    return [0, 1, 2].map(c => 0.55 + 0.45 * Math.cos(2 * Math.PI * (turn - c / 3)));
}

/** Pictures of a spectrum { width, height, magnitude, phase }, each half the size of the one before. */
export function renderSpectrum({ width, height, magnitude, phase }, tone, showsPhase) {
    const curve = Float32Array.from({ length: 256 }, (_, i) => (i / 255) ** (2 ** (2 - 4 * tone)));
    const table = [...curve].map(colourOf),
        hues = Array.from({ length: 256 }, (_, i) => hueOf(i / 255));
    const levels = [];
    let level = { width, height, magnitude, phase };
    for (;;) {
        const canvas = new OffscreenCanvas(level.width, level.height),
            context = canvas.getContext('2d');
        const image = new ImageData(level.width, level.height),
            { data } = image;
        for (let i = 0, o = 0; o < data.length; i++, o += 4) {
            const m = level.magnitude[i];
            for (let c = 0; c < 3; c++)
                data[o + c] = showsPhase ? 255 * curve[m] * hues[level.phase[i]][c] : table[m][c];
            data[o + 3] = 255;
        }
        context.putImageData(image, 0, 0);
        levels.push(canvas);
        if (Math.max(level.width, level.height) < 256) return levels;
        level = halve(level);
    }
}

// The strongest of four stands for them: an average would hide single bright points.
function halve({ width, height, magnitude, phase }) {
    const w = (width + 1) >> 1,
        h = (height + 1) >> 1,
        half = { width: w, height: h, magnitude: new Uint8Array(w * h), phase: new Uint8Array(w * h) };
    for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) {
            const from = y * width + x,
                to = (y >> 1) * w + (x >> 1);
            if (magnitude[from] >= half.magnitude[to])
                ((half.magnitude[to] = magnitude[from]), (half.phase[to] = phase[from]));
        }
    return half;
}

export function drawSpectrum(context, levels, side, { scale, left, top }) {
    const { width, height } = levels[0],
        ratio = devicePixelRatio;
    let k = 0;
    while (k + 1 < levels.length && Math.min(side / width, side / height) * scale * ratio * 2 ** k < 0.75)
        k++;
    const x = (0.5 - (Math.floor(width / 2) + 0.5) / width) * side,
        y = (0.5 - (Math.floor(height / 2) + 0.5) / height) * side;
    const across = (levels[k].width * 2 ** k) / width,
        down = (levels[k].height * 2 ** k) / height; // odd sizes are padded
    context.drawImage(
        levels[k],
        left + x * scale,
        top + y * scale,
        side * scale * across,
        side * scale * down,
    );
}

const CELL = 2; // pixels of the page per element of the overlay
let scratch = null;

/** Lays colour over what is painted: red where it is removed, green where it is strengthened. */
export function drawPaint(context, strokes, side, { scale, left, top }, { clientWidth, clientHeight }) {
    const clip = (x, high) => Math.min(Math.max(x, 0), high);
    const from = { x: clip(left, clientWidth), y: clip(top, clientHeight) };
    const width = Math.ceil((clip(left + side * scale, clientWidth) - from.x) / CELL),
        height = Math.ceil((clip(top + side * scale, clientHeight) - from.y) / CELL);
    if (width < 1 || height < 1 || !strokes.length) return;
    const step = CELL / scale / side,
        at = (edge, start) => (edge + CELL / 2 - start) / scale / side - 0.5;
    const gains = paint(strokes, {
        width,
        height,
        x: at(from.x, left),
        y: at(from.y, top),
        dx: step,
        dy: step,
    });
    const image = new ImageData(width, height),
        { data } = image;
    for (let i = 0, o = 0; i < gains.length; i++, o += 4) {
        const gain = gains[i];
        if (gain < 1)
            ((data[o] = 226),
                (data[o + 1] = 70),
                (data[o + 2] = 60),
                (data[o + 3] = 165 * Math.min(1 - gain, 1)));
        else if (gain > 1)
            ((data[o] = 70), (data[o + 1] = 214), (data[o + 2] = 160), (data[o + 3] = 165 * (1 - 1 / gain)));
    }
    scratch ??= new OffscreenCanvas(1, 1);
    if (scratch.width !== width || scratch.height !== height) Object.assign(scratch, { width, height });
    scratch.getContext('2d').putImageData(image, 0, 0);
    const smooths = context.imageSmoothingEnabled;
    context.imageSmoothingEnabled = true;
    context.drawImage(scratch, from.x, from.y, width * CELL, height * CELL);
    context.imageSmoothingEnabled = smooths;
}
