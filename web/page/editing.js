// The history of the document, and the controls that show and change it.
import * as doc from './document.js';
import { $ } from './messages.js';

let history = doc.begin(),
    unfinished = null,
    lastKind = '',
    lastTime = 0;
const listeners = [];

/** Calls a function with every change; `moving` tells that it is a stroke under the hand. */
export const listen = listener => listeners.push(listener);

/** The document as it is in the history. */
export const present = () => doc.present(history);

/** The document with the stroke that is under the hand. */
export const shown = () =>
    unfinished ? doc.changed(present(), { strokes: [...present().strokes, unfinished] }) : present();

export const isPainting = () => unfinished !== null;

function tell(moving = false) {
    for (const listener of listeners) listener(moving);
}

/** Changes the document. Changes of one kind in quick succession are undone together. */
export function change(changes, kind = '') {
    const merges = kind !== '' && kind === lastKind && performance.now() - lastTime < 1200;
    history = doc.push(history, doc.changed(present(), changes), merges);
    ((lastKind = kind), (lastTime = performance.now()));
    tell();
}

export function travel(step) {
    history = step(history);
    lastKind = '';
    tell();
}

/** Begins anew with a document. */
export function begin(document) {
    history = doc.begin(document);
    tell();
}

/** Adds a document, which undo takes back. */
export function put(document) {
    history = doc.push(history, document);
    tell();
}

/** Shows an unfinished stroke, or none. */
export function sketch(stroke) {
    unfinished = stroke;
    tell(true);
}

/** Adds the stroke that was under the hand; null drops it. */
export function finish(stroke) {
    unfinished = null;
    if (stroke) change({ strokes: [...present().strokes, stroke] });
    else tell(true);
}

// ---- Controls -----------------------------------------------------------------------------------

listen(moving => {
    if (moving) return;
    const document = present();
    $('undo').disabled = !doc.canUndo(history);
    $('redo').disabled = !doc.canRedo(history);
    $('clear').disabled = !document.strokes.length;
    $('border').value = document.border;
    $('alpha').value = document.alpha;
    $('linear').checked = document.linear;
    $('keeps-mean').checked = document.keepsMean;
});

$('clear').addEventListener('click', () => change({ strokes: [] }));
$('keeps-mean').addEventListener('change', () => change({ keepsMean: $('keeps-mean').checked }));
$('border').addEventListener('change', () => change({ border: $('border').value }));
$('alpha').addEventListener('change', () => change({ alpha: $('alpha').value }));
$('linear').addEventListener('change', () => change({ linear: $('linear').checked }));
$('undo').addEventListener('click', () => travel(doc.undo));
$('redo').addEventListener('click', () => travel(doc.redo));
