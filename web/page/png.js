// PNG of 8 or 16 bits. The browser's own coder premultiplies alpha and drops 16 bits to 8; this one keeps
// every sample. (De)CompressionStream does zlib.

const SIGNATURE = [137, 80, 78, 71, 13, 10, 26, 10];
const CHANNELS = { 0: 1, 2: 3, 4: 2, 6: 4 },
    COLOURS = [0, 0, 4, 2, 6];

const crcTable = new Uint32Array(256).map((_, n) => {
    for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
    return n;
});

function checksum(bytes) {
    let crc = 0xffffffff;
    for (let i = 0; i < bytes.length; i++) crc = crcTable[(crc ^ bytes[i]) & 255] ^ (crc >>> 8);
    return ~crc >>> 0;
}

const isPng = bytes => SIGNATURE.every((byte, i) => bytes[i] === byte);

function chunk(name, body) {
    const bytes = new Uint8Array(12 + body.length),
        view = new DataView(bytes.buffer);
    view.setUint32(0, body.length);
    bytes.set(new TextEncoder().encode(name), 4);
    bytes.set(body, 8);
    view.setUint32(8 + body.length, checksum(bytes.subarray(4, 8 + body.length)));
    return bytes;
}

/** Writes a picture { width, height, channels, data }, whose data is a Uint8Array or a Uint16Array. */
export async function encode({ width, height, channels, data }) {
    const deep = data instanceof Uint16Array,
        step = channels * (deep ? 2 : 1),
        row = width * step;
    const raw = new Uint8Array((row + 1) * height);
    for (let y = 0; y < height; y++) {
        const at = y * (row + 1) + 1;
        if (deep)
            for (let i = 0, from = y * width * channels; i < width * channels; i++) {
                raw[at + 2 * i] = data[from + i] >> 8;
                raw[at + 2 * i + 1] = data[from + i] & 255;
            }
        else raw.set(data.subarray(y * row, (y + 1) * row), at);
        raw[at - 1] = 1; // the filter Sub
        for (let i = row - 1; i >= step; i--) raw[at + i] -= raw[at + i - step];
    }
    const head = new Uint8Array(13),
        view = new DataView(head.buffer);
    view.setUint32(0, width);
    view.setUint32(4, height);
    head.set([deep ? 16 : 8, COLOURS[channels], 0, 0, 0], 8);
    const packed = await new Response(
        new Blob([raw]).stream().pipeThrough(new CompressionStream('deflate')),
    ).arrayBuffer();
    return new Blob(
        [
            new Uint8Array(SIGNATURE),
            chunk('IHDR', head),
            chunk('IDAT', new Uint8Array(packed)),
            chunk('IEND', new Uint8Array(0)),
        ],
        { type: 'image/png' },
    );
}

/** The size of a PNG by its header; null for other files. */
export function header(bytes) {
    if (bytes.length < 29 || !isPng(bytes)) return null;
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    return {
        width: view.getUint32(16),
        height: view.getUint32(20),
        depth: bytes[24],
        colour: bytes[25],
        laced: bytes[28],
    };
}

// Inflates at most `most` bytes; a file that holds more, or fewer, is damaged.
async function inflate(parts, most) {
    const out = new Uint8Array(most),
        reader = new Blob(parts).stream().pipeThrough(new DecompressionStream('deflate')).getReader();
    let used = 0;
    for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        if (used + value.length > most) {
            await reader.cancel();
            throw new Error('The PNG file is damaged: it holds more than its header says.');
        }
        out.set(value, used);
        used += value.length;
    }
    if (used !== most) throw new Error('The PNG file is damaged: its end is missing.');
    return out;
}

// Undoes the row filters in place; every row of `raw` begins with the number of its filter.
function unfilter(raw, row, height, step) {
    for (let y = 0; y < height; y++) {
        const at = y * (row + 1) + 1,
            above = at - row - 1,
            kind = raw[at - 1];
        for (let i = 0; i < row && kind; i++) {
            const a = i >= step ? raw[at + i - step] : 0,
                b = y ? raw[above + i] : 0,
                c = y && i >= step ? raw[above + i - step] : 0;
            const pa = Math.abs(b - c),
                pb = Math.abs(a - c),
                pc = Math.abs(a + b - 2 * c);
            raw[at + i] +=
                kind === 1
                    ? a
                    : kind === 2
                      ? b
                      : kind === 3
                        ? (a + b) >> 1
                        : pa <= pb && pa <= pc
                          ? a
                          : pb <= pc
                            ? b
                            : c;
        }
    }
}

/**
 * Reads a PNG. Returns null for kinds that the browser reads as well: palettes, interlaced ones, a colour
 * as hole.
 */
export async function decode(bytes) {
    const head = header(bytes),
        channels = CHANNELS[head.colour];
    if (!channels || head.laced || head.depth < 8) return null;
    const view = new DataView(bytes.buffer, bytes.byteOffset),
        parts = [];
    for (let at = 8; at + 12 <= bytes.length;) {
        const length = view.getUint32(at),
            name = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
        if (name === 'tRNS') return null;
        if (name === 'IDAT') parts.push(bytes.subarray(at + 8, at + 8 + length));
        at += 12 + length;
    }
    const { width, height } = head,
        deep = head.depth === 16,
        step = channels * (deep ? 2 : 1),
        row = width * step;
    let raw;
    try {
        raw = await inflate(parts, (row + 1) * height);
    } catch (error) {
        throw error.message.startsWith('The PNG')
            ? error
            : new Error('The PNG file is damaged: its pixels cannot be unpacked.');
    }
    unfilter(raw, row, height, step);
    const data = deep
        ? new Uint16Array(width * height * channels)
        : new Uint8Array(width * height * channels);
    for (let y = 0; y < height; y++) {
        const from = y * (row + 1) + 1,
            to = y * width * channels;
        if (!deep) data.set(raw.subarray(from, from + row), to);
        else
            for (let i = 0; i < width * channels; i++)
                data[to + i] = (raw[from + 2 * i] << 8) | raw[from + 2 * i + 1];
    }
    return { width, height, channels, data };
}
