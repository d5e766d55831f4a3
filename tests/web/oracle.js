// The oracle of the web tests: sums in double precision, as the formulas state them.

/** The pixel that a border reads at coordinate i of n pixels; -1 for the outside pixel. */
export function borderIndex(border, i, n) {
    const modulo = (a, b) => ((a % b) + b) % b;
    switch (border) {
        case 'wrap':
            return modulo(i, n);
        case 'clamp':
            return Math.min(Math.max(i, 0), n - 1);
        case 'reflect': {
            const j = modulo(i, 2 * n);
            return j < n ? j : 2 * n - 1 - j;
        }
        case 'mirror': {
            const j = n > 1 ? modulo(i, 2 * n - 2) : 0;
            return j < n ? j : 2 * n - 2 - j;
        }
        default:
            return i >= 0 && i < n ? i : -1;
    }
}

/** Convolves a packed picture: out(x, y) = Σ taps(i, j) in(x − (i − cx), y − (j − cy)). */
export function convolve(picture, width, height, channels, taps, border, outside = 0) {
    const out = new Float64Array(picture.length);
    const cx = taps.width >> 1,
        cy = taps.height >> 1;
    for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++)
            for (let j = 0; j < taps.height; j++)
                for (let i = 0; i < taps.width; i++) {
                    const u = borderIndex(border, x - (i - cx), width),
                        v = borderIndex(border, y - (j - cy), height);
                    const tap = taps.values[j * taps.width + i];
                    for (let c = 0; c < channels; c++)
                        out[(y * width + x) * channels + c] +=
                            tap * (u < 0 || v < 0 ? outside : picture[(v * width + u) * channels + c]);
                }
    return out;
}

/** The discrete Fourier transform of interleaved { re, im }; forward divides by width · height. */
export function dft(width, height, samples, inverse = false) {
    const out = new Float64Array(samples.length),
        sign = inverse ? 1 : -1,
        scale = inverse ? 1 : 1 / (width * height);
    for (let v = 0; v < height; v++)
        for (let u = 0; u < width; u++) {
            let re = 0,
                im = 0;
            for (let y = 0; y < height; y++)
                for (let x = 0; x < width; x++) {
                    const angle = sign * 2 * Math.PI * ((u * x) / width + (v * y) / height);
                    const a = samples[2 * (y * width + x)],
                        b = samples[2 * (y * width + x) + 1];
                    re += a * Math.cos(angle) - b * Math.sin(angle);
                    im += a * Math.sin(angle) + b * Math.cos(angle);
                }
            out[2 * (v * width + u)] = re * scale;
            out[2 * (v * width + u) + 1] = im * scale;
        }
    return out;
}

/** Multiplies the spectrum of one real channel by gain(u, v) → [re, im], and transforms back; the real part. */
export function filterSpectrum(width, height, channel, gain) {
    const complex = new Float64Array(2 * width * height);
    channel.forEach((sample, i) => {
        complex[2 * i] = sample;
    });
    const spectrum = dft(width, height, complex);
    for (let v = 0; v < height; v++)
        for (let u = 0; u < width; u++) {
            const at = 2 * (v * width + u),
                [re, im] = gain(u, v),
                a = spectrum[at],
                b = spectrum[at + 1];
            spectrum[at] = a * re - b * im;
            spectrum[at + 1] = a * im + b * re;
        }
    return dft(width, height, spectrum, true).filter((_, i) => i % 2 === 0);
}

/** Repeatable numbers in 0 … 1. */
export function random(seed) {
    let state = seed >>> 0;
    return () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return ((state >>> 8) + 0.5) / 2 ** 24;
    };
}

/** ‖a − b‖ / ‖b‖ · 1 / gain, as the error bounds of the library are stated. */
export function relativeError(a, b, gain = 1) {
    let error = 0,
        norm = 0;
    for (let i = 0; i < b.length; i++) {
        error += (a[i] - b[i]) ** 2;
        norm += b[i] ** 2;
    }
    return Math.sqrt(error / Math.max(norm, 1e-300)) / gain;
}
