// The result follows the document: a preview while the hand moves, the whole when it rests; and the kernel.
import * as doc from './document.js';
import { isPainting, listen, shown } from './editing.js';
import { Engine } from './engine.js';
import { choose } from './excerpt.js';
import { renderKernel } from './kernel.js';
import { $, fail } from './messages.js';
import { KERNEL, panes } from './panes.js';
import { live, state, toCanvas } from './state.js';
import { showWhy, time } from './why.js';

const SMOOTH = 45, // milliseconds of an answer that follows the hand
    SLOW = 500, // those of a whole result that is announced
    PREVIEW_LEAST = 128 ** 2,
    PREVIEW_MOST = 768 ** 2;

let sequence = 0,
    fullTime = 1000,
    previewPixels = 512 ** 2,
    rest = 0,
    whole = null; // the engine of large pictures

/** The number of the present document; results bear that of theirs. */
export const asked = () => sequence;

/** Forgets the results of the picture before. */
export function clearResults() {
    state.result = state.preview = null;
    fullTime = 1000;
    previewPixels = 512 ** 2;
}

listen(() => update());

// With every change: the paint at once, a preview where the result takes long, the result when the hand
// rests.
export function update() {
    window.document.documentElement.dataset.asked = String(++sequence);
    panes.spectrum.redraw();
    if (!state.picture) return;
    const document = shown();
    askKernel(document);
    clearTimeout(rest);
    if (state.film) return; // every frame is filtered by the present document
    if (doc.isIdentity(document)) {
        state.offset = 0;
        state.result = {
            canvas: state.picture.canvas,
            left: 0,
            top: 0,
            width: state.picture.width,
            height: state.picture.height,
            sequence,
        };
        state.preview = null;
        showResult();
        $('why').replaceChildren(
            Object.assign(window.document.createElement('p'), {
                className: 'help',
                textContent: 'Nothing is filtered yet.',
            }),
        );
        $('result-note').textContent = 'nothing is painted yet';
        return;
    }
    const follows = fullTime <= SMOOTH;
    if (!follows && document.strokes.length) askPreview(document);
    if (follows || !isPainting())
        rest = setTimeout(() => askResult(document), follows ? 0 : document.strokes.length ? 60 : 0);
}
async function askPreview(document) {
    const asked = sequence,
        of = state.picture,
        pane = panes.result,
        { scale } = pane.place();
    const excerpt = choose(pane.visible(), state.picture, 1 / (scale * devicePixelRatio), previewPixels);
    try {
        const answer = await live.latest('render', { document, excerpt });
        if (
            !answer ||
            of !== state.picture ||
            asked < (state.result?.sequence ?? 0) ||
            asked < (state.preview?.sequence ?? 0)
        )
            return;
        previewPixels = Math.min(
            Math.max(
                previewPixels * (answer.took > SMOOTH ? 0.75 : answer.took < SMOOTH / 2.5 ? 1.2 : 1),
                PREVIEW_LEAST,
            ),
            PREVIEW_MOST,
        );
        state.preview = {
            canvas: toCanvas(answer.rgba, answer.width, answer.height, state.preview?.canvas),
            sequence: asked,
            left: excerpt.x,
            top: excerpt.y,
            width: excerpt.width * excerpt.stepX,
            height: excerpt.height * excerpt.stepY,
        };
        showResult();
    } catch (error) {
        refuse(error, document);
    }
}

async function askResult(document) {
    const asked = sequence,
        of = state.picture;
    try {
        const engine = await engineFor(of);
        if (fullTime > SLOW) $('result-note').textContent = 'the whole result is being computed …';
        const answer = await engine.latest('render', { document });
        if (!answer || of !== state.picture) return;
        fullTime = fullTime === 1000 ? answer.took : 0.5 * (fullTime + answer.took);
        accept(document);
        if (asked < (state.result?.sequence ?? 0)) return;
        const own = state.result?.canvas !== of.canvas ? state.result?.canvas : null;
        state.result = {
            canvas: toCanvas(answer.rgba, answer.width, answer.height, own),
            left: 0,
            top: 0,
            width: of.width,
            height: of.height,
            sequence: asked,
        };
        if (state.preview && state.preview.sequence <= asked) state.preview = null;
        showResult();
        state.offset = answer.offset;
        showWhy($('why'), answer, of, state.detail, () =>
            live.do('measure', { document }).then(({ devices }) => devices),
        );
        $('result-note').textContent = time(answer.took / 1000);
        if (asked === sequence) $('status').textContent = 'The result is ready.';
    } catch (error) {
        refuse(error, document);
    }
}

// A result that takes long is computed beside the previews.
async function engineFor(of) {
    if (of.width * of.height < 1.5e6) return live;
    whole ??= new Engine();
    of.given ??= live
        .do('give')
        .then(({ picture: taken }) => whole.do('take', { taken }, [taken.data.buffer]));
    await of.given;
    return whole;
}

export function showResult() {
    panes.result.redraw();
    dispatchEvent(
        new CustomEvent('abbe-result', { detail: state.preview?.sequence ?? state.result?.sequence }),
    ); // for web/frames.mjs
    window.document.documentElement.dataset.done = String(state.result?.sequence ?? 0);
}

let complaint = 0;

// The library's message about the text stands beside it; others are told.
export function refuse(error, document) {
    clearTimeout(complaint);
    if (document.filter.trim() && error.code !== 'ABBE_ERR_MEMORY') {
        complaint = setTimeout(() => {
            // while one types, a text is often wrong for a moment
            $('filter').setAttribute('aria-invalid', 'true');
            $('filter-help').className = 'help bad';
            $('filter-help').textContent = `${error.message}.`;
        }, 500);
    } else {
        fail(
            error.code === 'ABBE_ERR_MEMORY'
                ? new Error(
                      'The picture is too large for the memory of this tab. “repeat” beyond the edge takes a quarter.',
                  )
                : error,
        );
    }
}

const FILTER_HELP = $('filter-help').textContent;
export function accept(document) {
    clearTimeout(complaint);
    $('filter').removeAttribute('aria-invalid');
    $('filter-help').className = 'help';
    const entry = state.catalogue.find(each => each.name === document.filter.split(/[:,]/)[0].trim());
    $('filter-help').textContent = entry
        ? `${entry.summary[0].toUpperCase()}${entry.summary.slice(1)}.`
        : FILTER_HELP;
}

async function askKernel(document) {
    if (doc.isIdentity(document)) return ((state.kernel = state.kernelPicture = null), panes.kernel.redraw());
    try {
        const answer = await live.latest('kernel', { document, size: KERNEL });
        if (!answer) return;
        state.kernel = answer;
        state.kernelPicture = renderKernel(answer);
        panes.kernel.redraw();
    } catch {
        // the result tells the same
    }
}
