// The same filtering as a line for a shell.
import { EMPTY } from './document.js';

const quoted = word => (/^[\w.,:=/@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);

/**
 * `most` is the largest painted gain: the mask is saved divided by it. `offset` is what lifts the result
 * to mid grey.
 */
export function commandOf(document, name, { most = 1, offset = 0, alpha = false } = {}) {
    const filters = [
        ...(document.strokes.length ? ['mask:file=abbe-mask.png'] : []),
        ...(document.filter.trim() ? [document.filter.trim()] : []),
    ];
    const words = [
        'abbe',
        'filter',
        quoted(name),
        '-f',
        quoted(filters.join(',') || 'identity'),
        '-o',
        'result.png',
    ];
    if (document.border !== EMPTY.border) words.push('--border', document.border);
    if (document.linear) words.push('--linear');
    if (alpha && document.alpha === 'independent') words.push('--straight-alpha');
    if (document.strokes.length && most > 1) words.push('--gain', String(Number(most.toPrecision(6))));
    if (offset) words.push('--offset', String(offset));
    return words.join(' ');
}
