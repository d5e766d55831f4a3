// A link carries a document in its fragment: #p=print&f=gaussian:sigma=3&b=wrap&s=…
//
// s has the strokes, separated by '_': letters of tool and action, then numbers separated by '.': radius,
// softness, gain, points. Numbers are whole and written in base 36: positions and radii in 1/16384 cycles per
// pixel, of points after the first the difference; softness in hundredths, gain in thousandths.
import { ACTIONS, TOOLS } from './strokes.js';
import { ALPHAS, BORDERS, EMPTY, changed } from './document.js';

const UNIT = 16384,
    STROKES = 1000,
    POINTS = 4000,
    TEXT = 2000;
const TOOL_LETTERS = 'dblrwo',
    ACTION_LETTERS = 'xksz';

export class LinkError extends Error {}

const whole = x => Math.round(x).toString(36);

function encodeStroke(stroke) {
    let x = 0,
        y = 0;
    const points = [];
    for (let i = 0; i < stroke.points.length; i += 2) {
        const u = Math.round(stroke.points[i] * UNIT),
            v = Math.round(stroke.points[i + 1] * UNIT);
        points.push(whole(u - x), whole(v - y));
        ((x = u), (y = v));
    }
    return [
        TOOL_LETTERS[TOOLS.indexOf(stroke.tool)] + ACTION_LETTERS[ACTIONS.indexOf(stroke.action)],
        whole(stroke.radius * UNIT),
        whole(stroke.softness * 100),
        whole(stroke.gain * 1000),
        ...points,
    ].join('.');
}

function number(text, low, high) {
    if (!/^-?[0-9a-z]{1,7}$/.test(text ?? ''))
        throw new LinkError('The link is damaged: a stroke has a number that cannot be read.');
    const value = parseInt(text, 36);
    if (!(value >= low && value <= high))
        throw new LinkError('The link is damaged: a number of a stroke is out of range.');
    return value;
}

function decodeStroke(text) {
    const [letters, radius, softness, gain, ...rest] = text.split('.');
    const tool = TOOLS[TOOL_LETTERS.indexOf(letters[0])],
        action = ACTIONS[ACTION_LETTERS.indexOf(letters[1])];
    if (
        letters.length !== 2 ||
        !tool ||
        !action ||
        !rest.length ||
        rest.length % 2 ||
        rest.length > 2 * POINTS
    )
        throw new LinkError('The link is damaged: one of its strokes cannot be read.');
    let x = 0,
        y = 0;
    const points = [];
    for (let i = 0; i < rest.length; i += 2) {
        ((x += number(rest[i], -2 * UNIT, 2 * UNIT)), (y += number(rest[i + 1], -2 * UNIT, 2 * UNIT)));
        if (Math.abs(x) > UNIT || Math.abs(y) > UNIT)
            throw new LinkError('The link is damaged: a stroke leaves the frequency plane.');
        points.push(x / UNIT, y / UNIT);
    }
    return Object.freeze({
        tool,
        action,
        radius: number(radius, 0, UNIT) / UNIT,
        softness: number(softness, 0, 100) / 100,
        gain: number(gain, -100000, 100000) / 1000,
        points: Object.freeze(points),
    });
}

/** Strokes as a link stores them, so that a document and its link do exactly the same. */
export const rounded = stroke => decodeStroke(encodeStroke(stroke));

/**
 * The fragment of a document, without '#'. `picture` is the name of one of the page's own pictures, or ''.
 */
export function encode(document, picture = '') {
    const parts = [];
    const put = (key, value) =>
        parts.push(
            `${key}=${encodeURIComponent(value).replace(/%3A/g, ':').replace(/%2C/g, ',').replace(/%3D/g, '=')}`,
        );
    if (picture) put('p', picture);
    if (document.filter.trim()) put('f', document.filter.trim());
    if (document.border !== EMPTY.border) put('b', document.border);
    if (document.alpha !== EMPTY.alpha) put('a', document.alpha);
    if (document.linear) put('l', '1');
    if (!document.keepsMean) put('m', '0');
    if (document.strokes.length) put('s', document.strokes.map(encodeStroke).join('_'));
    return parts.join('&');
}

/** Reads a fragment. Throws LinkError, whose message is a sentence. */
export function decode(fragment) {
    const changes = {};
    let picture = '';
    for (const part of fragment.replace(/^#/, '').split('&').filter(Boolean)) {
        const [, key, raw] = part.match(/^([a-z])=(.*)$/) ?? [];
        let value;
        try {
            value = decodeURIComponent(raw);
        } catch {
            throw new LinkError('The link is damaged: it is not spelled as a link is.');
        }
        if (key === 'p' && /^[a-z]{1,20}$/.test(value)) picture = value;
        else if (key === 'f' && value.length <= TEXT) changes.filter = value;
        else if (key === 'b' && BORDERS.includes(value)) changes.border = value;
        else if (key === 'a' && ALPHAS.includes(value)) changes.alpha = value;
        else if (key === 'l' && value === '1') changes.linear = true;
        else if (key === 'm' && value === '0') changes.keepsMean = false;
        else if (key === 's' && value.split('_').length <= STROKES)
            changes.strokes = value.split('_').map(decodeStroke);
        else throw new LinkError(`The link is damaged: “${part.slice(0, 40)}” means nothing here.`);
    }
    return { picture, document: changed(EMPTY, changes) };
}
