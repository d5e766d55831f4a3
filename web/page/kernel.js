// The kernel: its picture, and its text as abbe reads it.

// Positive taps are warm, negative ones cool, zero is the ground.
const WARM = [255, 196, 110],
    COOL = [110, 182, 255],
    GROUND = [13, 15, 20];

export function renderKernel({ size, values }) {
    let most = 1e-12;
    for (let i = 0; i < values.length; i++) most = Math.max(most, Math.abs(values[i]));
    const image = new ImageData(size, size);
    for (let i = 0; i < values.length; i++) {
        const level = (Math.abs(values[i]) / most) ** 0.4,
            ends = values[i] < 0 ? COOL : WARM;
        for (let c = 0; c < 3; c++) image.data[4 * i + c] = GROUND[c] + (ends[c] - GROUND[c]) * level;
        image.data[4 * i + 3] = 255;
    }
    const canvas = new OffscreenCanvas(size, size);
    canvas.getContext('2d').putImageData(image, 0, 0);
    return canvas;
}

/** The half side of the square that holds all taps above a share of the largest, at least 6. */
export function kernelReach({ size, values }, share = 0.02) {
    let most = 0,
        reach = 6;
    for (const value of values) most = Math.max(most, Math.abs(value));
    for (let y = 0; y < size; y++)
        for (let x = 0; x < size; x++)
            if (Math.abs(values[y * size + x]) > share * most)
                reach = Math.max(reach, Math.abs(x - size / 2), Math.abs(y - size / 2));
    return Math.min(reach + 2, size / 2);
}

/** Rows of numbers, as kernel:file= reads them: an odd square around the centre. */
export function kernelText(kernel) {
    const { size, values } = kernel,
        half = Math.min(Math.ceil(kernelReach(kernel, 1e-4)), size / 2 - 1),
        rows = [];
    for (let y = -half; y <= half; y++) {
        const row = [];
        for (let x = -half; x <= half; x++)
            row.push(Number(values[(y + size / 2) * size + x + size / 2].toPrecision(7)));
        rows.push(row.join(' '));
    }
    return rows.join('\n') + '\n';
}
