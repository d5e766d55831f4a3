// The document: what is done to the picture. Documents are frozen; every change makes a new one, and a
// history is a frozen list of them with a place in it.

export const BORDERS = ['reflect', 'mirror', 'clamp', 'zero', 'wrap'];
export const ALPHAS = ['premultiply', 'independent'];

export const EMPTY = freeze({
    filter: '', // text of the catalogue's grammar; '' leaves the picture as it is
    strokes: [], // see strokes.js
    keepsMean: true, // the painted mask leaves the mean brightness alone
    border: 'reflect',
    alpha: 'premultiply',
    linear: false, // filters in linear light
});

export function freeze(document) {
    Object.freeze(document.strokes);
    return Object.freeze(document);
}

export const changed = (document, changes) => freeze({ ...document, ...changes });

/** Tells whether the result is the picture itself. */
export const isIdentity = document => !document.strokes.length && !document.filter.trim();

const MOST = 500;

export const begin = (document = EMPTY) => Object.freeze({ list: Object.freeze([document]), at: 0 });
export const present = history => history.list[history.at];
export const canUndo = history => history.at > 0;
export const canRedo = history => history.at + 1 < history.list.length;
export const undo = history =>
    canUndo(history) ? Object.freeze({ ...history, at: history.at - 1 }) : history;
export const redo = history =>
    canRedo(history) ? Object.freeze({ ...history, at: history.at + 1 }) : history;

/**
 * Adds a document in place of all that was undone. With `merges`, it takes the place of the present one.
 */
export function push(history, document, merges = false) {
    if (document === present(history)) return history;
    const list = history.list.slice(0, history.at + (merges && history.at > 0 ? 0 : 1));
    list.push(document);
    const kept = list.slice(-MOST);
    return Object.freeze({ list: Object.freeze(kept), at: kept.length - 1 });
}
