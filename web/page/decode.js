// Files become pictures { name, width, height, channels, data }. Messages are sentences for the reader
// of the page.
import * as png from './png.js';

/** Larger pictures are refused before a pixel is decoded: a tab has no memory for them. */
export const MEGAPIXELS = 50;

const ascii = (bytes, at, text) => [...text].every((letter, i) => bytes[at + i] === letter.charCodeAt(0));

// The size in a JPEG is in its frame header, after segments that each tell their length.
function jpegSize(view) {
    for (let at = 2; at + 9 < view.byteLength;) {
        const marker = view.getUint16(at);
        if (marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker))
            return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
        if (marker >> 8 !== 0xff) return {};
        at += 2 + view.getUint16(at + 2);
    }
    return {};
}

function webpSize(bytes, view) {
    if (ascii(bytes, 12, 'VP8X'))
        return {
            width: 1 + (view.getUint32(24, true) & 0xffffff),
            height: 1 + (view.getUint32(26, true) >>> 8),
        };
    if (ascii(bytes, 12, 'VP8L'))
        return {
            width: 1 + (view.getUint32(21, true) & 0x3fff),
            height: 1 + ((view.getUint32(21, true) >>> 14) & 0x3fff),
        };
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
}

/** What a file is by its first bytes, and its size where the header tells it. */
export function sniff(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
        long = bytes.length >= 32;
    if (png.header(bytes)) return { kind: 'PNG', ...png.header(bytes) };
    if (long && bytes[0] === 0xff && bytes[1] === 0xd8) return { kind: 'JPEG', ...jpegSize(view) };
    if (long && ascii(bytes, 0, 'RIFF') && ascii(bytes, 8, 'WEBP'))
        return { kind: 'WebP', ...webpSize(bytes, view) };
    if (long && ascii(bytes, 0, 'GIF8'))
        return { kind: 'GIF', width: view.getUint16(6, true), height: view.getUint16(8, true) };
    if (long && ascii(bytes, 0, 'BM'))
        return { kind: 'BMP', width: view.getInt32(18, true), height: Math.abs(view.getInt32(22, true)) };
    if (long && ascii(bytes, 4, 'ftyp')) return { kind: 'AVIF' };
    return { kind: '' };
}

/** @param {string} name @param {{ width?: number, height?: number }} size */
function refuse(name, { width, height }) {
    if (width * height > MEGAPIXELS * 1e6)
        throw new Error(
            `${name} has ${Math.round((width * height) / 1e6)} megapixels; this page takes up to ${MEGAPIXELS}.`,
        );
    if (width === 0 || height === 0)
        throw new Error(`${name} is damaged: its header says that it has no pixels.`);
}

// Opaque pictures lose the fourth channel, which would only cost time.
function withoutOpaque({ width, height, data }) {
    let opaque = true,
        grey = true;
    for (let i = 0; i < data.length && (opaque || grey); i += 4) {
        opaque &&= data[i + 3] === 255;
        grey &&= data[i] === data[i + 1] && data[i] === data[i + 2];
    }
    const channels = (grey ? 1 : 3) + (opaque ? 0 : 1),
        out = new Uint8Array(width * height * channels);
    for (let i = 0, o = 0; i < data.length; i += 4) {
        out[o++] = data[i];
        if (!grey) ((out[o++] = data[i + 1]), (out[o++] = data[i + 2]));
        if (!opaque) out[o++] = data[i + 3];
    }
    return { width, height, channels, data: out };
}

async function decodeByBrowser(name, blob, kind) {
    let bitmap;
    try {
        bitmap = await createImageBitmap(blob, { premultiplyAlpha: 'none' });
    } catch {
        throw new Error(
            kind
                ? `${name} is damaged, or a ${kind} file that this browser cannot read.`
                : `${name} is not a picture that this browser can read. PNG, JPEG, WebP, AVIF, GIF and BMP are.`,
        );
    }
    refuse(name, bitmap);
    return fromBitmap(bitmap);
}

let canvas = null; // kept: a camera brings many bitmaps

/** The pixels of a bitmap, which is closed. */
export function fromBitmap(bitmap) {
    const { width, height } = bitmap;
    if (canvas?.width !== width || canvas?.height !== height) canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext('2d', { willReadFrequently: true });
    context.clearRect(0, 0, width, height);
    context.drawImage(bitmap, 0, 0);
    bitmap.close();
    return withoutOpaque(context.getImageData(0, 0, width, height));
}

/** Decodes a file. Throws an Error whose message is a sentence. */
export async function decodeFile(blob, name) {
    if (blob.size === 0) throw new Error(`${name} is empty.`);
    const head = sniff(new Uint8Array(await blob.slice(0, 1 << 18).arrayBuffer()));
    if (!head.kind && blob.type !== 'image/avif')
        throw new Error(
            `${name} is not a picture that this browser can read. PNG, JPEG, WebP, AVIF, GIF and BMP are.`,
        );
    refuse(name, head);
    const exact = head.kind === 'PNG' ? await png.decode(new Uint8Array(await blob.arrayBuffer())) : null;
    return { ...(exact ?? (await decodeByBrowser(name, blob, head.kind))), name };
}
