// A part of a picture at a lower resolution: what a preview filters.

/** The largest number up to `most` whose transform is fast. */
export function fastLength(most) {
    for (let length = most - (most % 16); length >= 16; length -= 16) {
        let rest = length;
        for (const prime of [2, 3, 5]) while (rest % prime === 0) rest /= prime;
        if (rest === 1) return length;
    }
    return Math.max(most, 1);
}

// Part of an axis: `count` pixels of `step`, from `from` on, that cover what is visible with a margin.
function span(from, end, size, step) {
    const margin = (end - from) / 8;
    const low = Math.max(Math.floor(from - margin), 0),
        high = Math.max(Math.min(Math.ceil(end + margin), size), low + 1);
    const count = fastLength(Math.min(Math.ceil((high - low) / step), high - low));
    return { from: low, step: (high - low) / count, count };
}

/**
 * The excerpt that covers a view { left, top, right, bottom } in pixels of the picture with at most `most`
 * pixels, none smaller than `step`.
 */
export function choose(view, size, step, most) {
    const clip = (x, high) => Math.min(Math.max(x, 0), high);
    const left = clip(view.left, size.width - 1),
        right = clip(Math.max(view.right, left + 1), size.width);
    const top = clip(view.top, size.height - 1),
        bottom = clip(Math.max(view.bottom, top + 1), size.height);
    const pixels = 1.5 * (right - left) * (bottom - top),
        coarse = Math.max(step, 1, Math.sqrt(pixels / most));
    const across = span(left, right, size.width, coarse),
        down = span(top, bottom, size.height, coarse);
    return {
        x: across.from,
        y: down.from,
        stepX: across.step,
        stepY: down.step,
        width: across.count,
        height: down.count,
    };
}

/** Averages the pixels of a picture under each pixel of an excerpt. */
export function average(picture, excerpt) {
    const { width, height, channels } = { ...excerpt, channels: picture.channels };
    const out = new picture.data.constructor(width * height * channels),
        sums = new Float64Array(channels);
    for (let y = 0, o = 0; y < height; y++) {
        const top = Math.floor(excerpt.y + y * excerpt.stepY),
            bottom = Math.max(Math.floor(excerpt.y + (y + 1) * excerpt.stepY), top + 1);
        for (let x = 0; x < width; x++) {
            const left = Math.floor(excerpt.x + x * excerpt.stepX),
                right = Math.max(Math.floor(excerpt.x + (x + 1) * excerpt.stepX), left + 1);
            sums.fill(0);
            for (let j = top; j < bottom; j++)
                for (
                    let i = (j * picture.width + left) * channels,
                        end = (j * picture.width + right) * channels;
                    i < end;
                    i += channels
                )
                    for (let c = 0; c < channels; c++) sums[c] += picture.data[i + c];
            const pixels = (bottom - top) * (right - left);
            for (let c = 0; c < channels; c++) out[o++] = sums[c] / pixels + 0.5;
        }
    }
    return { width, height, channels, data: out };
}

/** The grid of an excerpt's mask: its frequencies in cycles per pixel of the picture. */
export const excerptGrid = excerpt => ({
    width: excerpt.width,
    height: excerpt.height,
    x: -Math.floor(excerpt.width / 2) / (excerpt.width * excerpt.stepX),
    dx: 1 / (excerpt.width * excerpt.stepX),
    y: -Math.floor(excerpt.height / 2) / (excerpt.height * excerpt.stepY),
    dy: 1 / (excerpt.height * excerpt.stepY),
});
