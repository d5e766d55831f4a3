// Sources that move: the camera and the teapot. Every frame is filtered by the present document.
import { Camera } from './camera.js';
import * as doc from './document.js';
import { begin, shown } from './editing.js';
import { $, fail } from './messages.js';
import { showCallout, showSpectrum, takePicture } from './opening.js';
import { panes } from './panes.js';
import { accept, asked, refuse, showResult } from './results.js';
import { live, state, toCanvas } from './state.js';
import { Teapot } from './teapot.js';
import { menuItem } from './widgets.js';

const SPECTRUM_EVERY = 6; // frames

/** Shows what open() gives, frame by frame, until another picture is opened. */
async function play(name, open, own = '') {
    state.film?.close();
    const film = { closed: false, source: null, close: () => ((film.closed = true), film.source?.close()) };
    state.film = film;
    $('picture-note').textContent = `opening ${name} …`;
    try {
        film.source = await open();
        if (film.closed) return film.source.close();
        let frames = 0;
        await film.source.run(async bitmap => {
            await showFrame(film, { name, own }, bitmap, frames++);
            if (frames === 1 && !film.closed) {
                showCallout();
                const { dataset } = document.documentElement;
                dataset.opened = dataset.examined = name;
            }
        });
    } catch (error) {
        fail(error);
        if (state.film === film) state.film = null;
    }
}

async function showFrame(film, { name, own: link }, bitmap, number) {
    const sequence = asked(),
        document = shown(),
        { width, height } = bitmap;
    const answer = await live.do(
        'frame',
        { bitmap, name, document, examines: number % SPECTRUM_EVERY === 0 },
        [bitmap],
    );
    if (film.closed) return;
    const canvas = toCanvas(answer.rgba, width, height, number ? state.picture.canvas : null);
    if (!number) takePicture({ name, own: link, width, height, alpha: false, depth: 8, canvas });
    if (answer.problem) refuse(answer.problem, document);
    else if (!doc.isIdentity(document)) accept(document);
    const own = state.result?.canvas !== canvas ? state.result?.canvas : null;
    const result = answer.filtered ? toCanvas(answer.filtered, width, height, own) : canvas;
    state.result = { canvas: result, left: 0, top: 0, width, height, sequence };
    state.preview = null;
    $('result-note').textContent = `${Math.round(answer.took)} ms a frame`;
    if (answer.spectrum) {
        state.spectrum = answer.spectrum;
        showSpectrum();
    }
    panes.picture.redraw();
    showResult();
}

/** Plays the teapot, with a document. */
export function openTeapot(document) {
    begin(document);
    return play('The teapot', () => Teapot.open(), 'teapot');
}

// A drag or the arrow keys turn the teapot, and move other pictures as everywhere.
let grasp = null;
panes.picture.use({
    press(at) {
        grasp = state.film?.source?.turn ? at : null;
        return grasp !== null;
    },
    move(at) {
        state.film?.source?.turn?.(at.x - grasp.x, at.y - grasp.y);
        grasp = at;
    },
    release: () => (grasp = null),
    cancel: () => (grasp = null),
    hover() {},
    key(event) {
        const step = { ArrowLeft: [-20, 0], ArrowRight: [20, 0], ArrowUp: [0, -15], ArrowDown: [0, 15] }[
            event.key
        ];
        if (!step || !state.film?.source?.turn) return false;
        state.film.source.turn(...step);
        event.preventDefault();
        return true;
    },
});

menuItem($('pictures'), 'The teapot', 'drag it, and its spectrum turns along', () => openTeapot(doc.EMPTY));
if (navigator.mediaDevices)
    menuItem($('pictures'), 'Camera', 'its spectrum moves along', () => play('Camera', () => Camera.open()));
