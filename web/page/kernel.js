// The kernel: its picture, and its text as abbe reads it.

// Positive taps are warm, negative ones cool, zero is the ground.
const WARM = [255, 196, 110],
    COOL = [110, 182, 255],
    GROUND = [13, 15, 20];

// The largest tap beside the centre, which is much larger where most of the picture is kept.
function largest({ size, values }) {
    const centre = (size / 2) * size + size / 2;
    let most = 1e-6 * Math.abs(values[centre]) || 1e-12;
    for (let i = 0; i < values.length; i++) if (i !== centre) most = Math.max(most, Math.abs(values[i]));
    return most;
}

export function renderKernel({ size, values }) {
    const most = largest({ size, values });
    const image = new ImageData(size, size);
    for (let i = 0; i < values.length; i++) {
        const level = Math.min(Math.abs(values[i]) / most, 1) ** 0.6,
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
    const most = largest({ size, values });
    let reach = 6;
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
