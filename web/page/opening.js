// Where pictures come from: the page's own, files and the clipboard; and what is seen in them.
import * as doc from './document.js';
import { begin, change, listen, present } from './editing.js';
import { rounded } from './link.js';
import { $, fail, say } from './messages.js';
import { painter, panes, pictureView, spectrumView } from './panes.js';
import { PICTURES } from './pictures.js';
import { clearResults, update } from './results.js';
import { renderSpectrum } from './spectrum.js';
import { live, state, toCanvas } from './state.js';
import { chooseTool, settings } from './tools.js';
import { menuItem } from './widgets.js';

let opening = 0, // the number of the picture that was asked for last
    opens = ''; // its name, until it is there

/** Opens { blob, name } or { own }. A picture that is opened meanwhile takes its place. */
export async function open(source) {
    const number = ++opening,
        name = source.name ?? PICTURES[source.own].title;
    state.film?.close();
    state.film = null;
    if (opens) say(`${opens} was still loading; ${name} is opened after it.`);
    opens = name;
    $('picture-note').textContent = `opening ${name} …`;
    try {
        // Pictures are taken one after the other, as the worker does: it may be the last one that fails.
        const { rgba, width, height, alpha, depth } = await live.do('open', source);
        if (number === opening) opens = '';
        takePicture({
            name,
            own: source.own ?? '',
            width,
            height,
            alpha,
            depth,
            canvas: toCanvas(rgba, width, height),
        });
        update();
        document.documentElement.dataset.opened = name;
        await examine(state.picture);
        return true;
    } catch (error) {
        if (number === opening) opens = '';
        notePicture();
        fail(error);
        return false;
    }
}

/** Shows another picture, which has no results yet. */
export function takePicture(taken) {
    state.picture = taken;
    state.spectrum = null;
    state.levels = [];
    state.peaks = [];
    clearResults();
    $('alpha-row').hidden = !state.picture.alpha;
    pictureView.set({ scale: 0 });
    spectrumView.set({ scale: 0 });
    notePicture();
}

function notePicture() {
    const { name, width, height, depth } = state.picture ?? {};
    $('picture-note').textContent = state.picture
        ? `${name}, ${width} × ${height}${depth === 16 ? ', 16 bits' : ''}`
        : '';
}

// The worker may hold a later picture than the one that a task was for; its answers are then dropped.
async function examine(of) {
    const [seen, found] = await Promise.all([
        live.do('spectrum'),
        live.do('peaks').catch(() => ({ peaks: [] })),
    ]);
    if (of !== state.picture) return;
    state.spectrum = seen;
    state.peaks = found.peaks;
    showSpectrum();
    showCallout();
    document.documentElement.dataset.examined = of.name;
}

export function showSpectrum() {
    if (!state.spectrum) return;
    state.levels = renderSpectrum(state.spectrum, $('tone').value / 100, $('phase').checked);
    panes.spectrum.redraw();
}

export function showCallout() {
    const offers = state.spectrum && !present().strokes.length && present().filter === '';
    $('callout').hidden = !offers;
    const act = matchMedia('(pointer: coarse)').matches ? 'Touch' : 'Click';
    $('callout').textContent = state.peaks.length
        ? `Bright spots are patterns that repeat. ${act} one.`
        : 'Paint here: what you touch disappears from the picture.';
    if (offers && !state.peaks.length && settings.tool === 'dots') chooseTool('brush');
}

const openFile = file => open({ blob: file, name: file.name || 'The pasted picture' });

$('open').addEventListener('click', () => $('file').click());
$('file').addEventListener('change', () => {
    const [file] = $('file').files;
    $('file').value = '';
    if (file) openFile(file);
});
for (const kind of ['dragenter', 'dragover'])
    addEventListener(kind, event => {
        event.preventDefault();
        $('drop').hidden = false;
    });
addEventListener('dragleave', event => ($('drop').hidden = !event.relatedTarget ? true : $('drop').hidden));
addEventListener('drop', event => {
    event.preventDefault();
    $('drop').hidden = true;
    const [file] = event.dataTransfer.files;
    if (file) openFile(file);
    else say('Only files can be dropped here.');
});
addEventListener('paste', event => {
    const [file] = event.clipboardData.files;
    if (file) openFile(file);
});

for (const [name, { title, about }] of Object.entries(PICTURES))
    menuItem($('pictures'), title, about, () => openOwn(name));

/** Opens a picture of the page's own with a document. */
export function openOwn(name, document = doc.EMPTY) {
    begin(document);
    return open({ own: name });
}

listen(moving => moving || showCallout());
for (const id of ['tone', 'phase']) $(id).addEventListener('input', () => showSpectrum());
$('descreen').addEventListener('click', () => {
    const strokes = painter.everything();
    if (!strokes.length) return say('This picture has no pattern that repeats.');
    change({ strokes: [...present().strokes, ...strokes.map(rounded)] });
});
