// The page: it connects the document with panes, tools and workers.
import * as doc from './document.js';
import { Camera } from './camera.js';
import { commandOf } from './command.js';
import { Engine } from './engine.js';
import { choose } from './excerpt.js';
import { EXAMPLES } from './examples.js';
import { FilterField } from './filterfield.js';
import { kernelReach, kernelText, renderKernel } from './kernel.js';
import { LinkError, decode, encode, rounded } from './link.js';
import { $, copy, download, fail, say } from './messages.js';
import { Painter } from './painter.js';
import { Pane, View } from './pane.js';
import { PICTURES } from './pictures.js';
import { drawPaint, drawSpectrum, renderSpectrum } from './spectrum.js';
import { paint } from './mask.js';
import { maskGrid } from './strokes.js';
import { TOOLS, chooseTool, readSliders, settings } from './tools.js';
import { showWhy } from './why.js';
import { icon, menuItem } from './widgets.js';

const KERNEL = 256,
    SMOOTH = 45,
    PREVIEW_LEAST = 128 ** 2,
    PREVIEW_MOST = 768 ** 2; // SMOOTH: milliseconds of an answer that follows the hand

const live = new Engine(); // previews, kernels, spectra
let camera = null;
let offset = 0; // of the present result: 0.5 where it is shown on mid grey
let whole = null; // results of large pictures
let history = doc.begin();
let unfinished = null; // the stroke under the pointer
let picture = null; // { name, own, width, height, alpha, depth, canvas }
let spectrum = null,
    levels = [],
    peaks = [],
    kernel = null,
    kernelPicture = null;
let result = null,
    preview = null; // { canvas, left, top, width, height, sequence }
let sequence = 0,
    opening = 0,
    opens = '',
    fullTime = 1000,
    previewPixels = 512 ** 2,
    catalogue = [],
    detail = '';

// ---- The document -------------------------------------------------------------------------------

const present = () => doc.present(history);
const shown = () =>
    unfinished ? doc.changed(present(), { strokes: [...present().strokes, unfinished] }) : present();

let lastKind = '',
    lastTime = 0;

/** Changes the document. Changes of one kind in quick succession are undone together. */
function change(changes, kind = '') {
    const merges = kind !== '' && kind === lastKind && performance.now() - lastTime < 1200;
    history = doc.push(history, doc.changed(present(), changes), merges);
    ((lastKind = kind), (lastTime = performance.now()));
    follow();
}

function travel(step) {
    history = step(history);
    lastKind = '';
    follow();
}

// Shows the document in the controls and starts what follows from it.
function follow() {
    const document = present();
    $('undo').disabled = !doc.canUndo(history);
    $('redo').disabled = !doc.canRedo(history);
    $('clear').disabled = !document.strokes.length;
    $('border').value = document.border;
    $('alpha').value = document.alpha;
    $('linear').checked = document.linear;
    $('keeps-mean').checked = document.keepsMean;
    if (field) field.text = document.filter;
    showCallout();
    update();
}

// ---- Results ------------------------------------------------------------------------------------

function toCanvas(rgba, width, height, reused) {
    const canvas =
        reused?.width === width && reused?.height === height ? reused : new OffscreenCanvas(width, height);
    canvas.getContext('2d').putImageData(new ImageData(rgba, width, height), 0, 0);
    return canvas;
}

// With every change: the paint at once, a preview where the result takes long, the result when the hand
// rests.
function update() {
    window.document.documentElement.dataset.asked = String(++sequence);
    panes.spectrum.redraw();
    if (!picture) return;
    const document = shown();
    askKernel(document);
    clearTimeout(rest);
    if (camera) return; // every frame is filtered by the present document
    if (doc.isIdentity(document)) {
        offset = 0;
        result = {
            canvas: picture.canvas,
            left: 0,
            top: 0,
            width: picture.width,
            height: picture.height,
            sequence,
        };
        preview = null;
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
    if (follows || !unfinished)
        rest = setTimeout(() => askResult(document), follows ? 0 : document.strokes.length ? 60 : 0);
}
let rest = 0;

async function askPreview(document) {
    const asked = sequence,
        of = picture,
        pane = panes.result,
        { scale } = pane.place();
    const excerpt = choose(pane.visible(), picture, 1 / (scale * devicePixelRatio), previewPixels);
    try {
        const answer = await live.latest('render', { document, excerpt });
        if (
            !answer ||
            of !== picture ||
            asked < (result?.sequence ?? 0) ||
            asked < (preview?.sequence ?? 0)
        )
            return;
        previewPixels = Math.min(
            Math.max(
                previewPixels * (answer.took > SMOOTH ? 0.75 : answer.took < SMOOTH / 2.5 ? 1.2 : 1),
                PREVIEW_LEAST,
            ),
            PREVIEW_MOST,
        );
        preview = {
            canvas: toCanvas(answer.rgba, answer.width, answer.height, preview?.canvas),
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
        of = picture;
    try {
        const engine = await engineFor(of);
        const answer = await engine.latest('render', { document });
        if (!answer || of !== picture) return;
        fullTime = fullTime === 1000 ? answer.took : 0.5 * (fullTime + answer.took);
        accept(document);
        if (asked < (result?.sequence ?? 0)) return;
        const own = result?.canvas !== of.canvas ? result?.canvas : null;
        result = {
            canvas: toCanvas(answer.rgba, answer.width, answer.height, own),
            left: 0,
            top: 0,
            width: of.width,
            height: of.height,
            sequence: asked,
        };
        if (preview && preview.sequence <= asked) preview = null;
        showResult();
        offset = answer.offset;
        showWhy($('why'), answer, of, detail, () =>
            live.do('measure', { document }).then(({ devices }) => devices),
        );
        $('result-note').textContent = `${Math.round(answer.took)} ms`;
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

function showResult() {
    panes.result.redraw();
    dispatchEvent(new CustomEvent('abbe-result', { detail: preview?.sequence ?? result?.sequence })); // for web/frames.mjs
    window.document.documentElement.dataset.done = String(result?.sequence ?? 0);
}

let complaint = 0;

// The library's message about the text stands beside it; others are told.
function refuse(error, document) {
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
function accept(document) {
    clearTimeout(complaint);
    $('filter').removeAttribute('aria-invalid');
    $('filter-help').className = 'help';
    const entry = catalogue.find(each => each.name === document.filter.split(/[:,]/)[0].trim());
    $('filter-help').textContent = entry
        ? `${entry.summary[0].toUpperCase()}${entry.summary.slice(1)}.`
        : FILTER_HELP;
}

async function askKernel(document) {
    if (doc.isIdentity(document)) return ((kernel = kernelPicture = null), panes.kernel.redraw());
    try {
        const answer = await live.latest('kernel', { document, size: KERNEL });
        if (!answer) return;
        kernel = answer;
        kernelPicture = renderKernel(answer);
        panes.kernel.redraw();
    } catch {
        // the result tells the same
    }
}

// ---- Panes --------------------------------------------------------------------------------------

const pictureView = new View(),
    spectrumView = new View(),
    kernelView = new View();
const pictureSize = () => picture ?? { width: 4, height: 3 };

const drawPlaced = (context, { scale, left, top }, { canvas, left: x, top: y, width, height }) =>
    context.drawImage(canvas, left + x * scale, top + y * scale, width * scale, height * scale);

const painter = new Painter({
    settings: () => settings,
    peaks: () => peaks,
    begin(stroke) {
        unfinished = stroke;
        update();
    },
    end(stroke) {
        unfinished = null;
        if (stroke) change({ strokes: [...present().strokes, rounded(stroke)] });
        else update();
    },
    redraw: () => panes.spectrum.redraw(),
});

const plane = () => Math.max(spectrum?.width ?? 512, spectrum?.height ?? 512);

const panes = {
    picture: new Pane($('picture'), pictureView, {
        size: pictureSize,
        draw: (context, place) =>
            picture &&
            drawPlaced(context, place, { canvas: picture.canvas, left: 0, top: 0, ...pictureSize() }),
    }),
    result: new Pane($('result'), pictureView, { size: pictureSize, draw: drawResult }),
    spectrum: new Pane($('spectrum'), spectrumView, {
        size: () => ({ width: plane(), height: plane() }),
        draw: drawPlane,
        tool: painter,
    }),
    kernel: new Pane($('kernel'), kernelView, {
        size: () => ({ width: KERNEL, height: KERNEL }),
        draw: drawKernel,
    }),
};
painter.attach(panes.spectrum);
settings.redraw = () => panes.spectrum.redraw();

let split = 0.5,
    splits = false;

const coversAll = ({ left, top, width, height }, seen) =>
    left <= Math.max(seen.left, 0) &&
    top <= Math.max(seen.top, 0) &&
    left + width >= Math.min(seen.right, picture.width) &&
    top + height >= Math.min(seen.bottom, picture.height);

function drawResult(context, place) {
    if (!result) return;
    const previews = preview && preview.sequence > result.sequence;
    if (!previews || !coversAll(preview, panes.result.visible())) drawPlaced(context, place, result);
    if (previews) drawPlaced(context, place, preview);
    if (!splits) return;
    const { clientWidth, clientHeight } = $('result');
    context.save();
    context.beginPath();
    context.rect(0, 0, split * clientWidth, clientHeight);
    context.clip();
    context.clearRect(0, 0, clientWidth, clientHeight);
    drawPlaced(context, place, {
        canvas: picture.canvas,
        left: 0,
        top: 0,
        width: picture.width,
        height: picture.height,
    });
    context.restore();
}

function drawPlane(context, place) {
    if (!levels.length) return;
    drawSpectrum(context, levels, plane(), place);
    drawPaint(context, shown().strokes, plane(), place, $('spectrum'));
    painter.draw(context, place, plane());
}

// Fitted, the kernel is as large as its taps allow.
function drawKernel(context, place) {
    const { clientWidth, clientHeight } = $('kernel'),
        middle = KERNEL / 2;
    if (!kernelPicture) {
        context.fillStyle = '#f0b45a';
        context.beginPath();
        context.arc(clientWidth / 2, clientHeight / 2, 4, 0, 2 * Math.PI);
        context.fill();
        return;
    }
    if (!kernelView.scale) {
        const scale = Math.min(clientWidth, clientHeight) / (2 * kernelReach(kernel));
        place = {
            scale,
            left: clientWidth / 2 - (middle + 0.5) * scale,
            top: clientHeight / 2 - (middle + 0.5) * scale,
        };
    }
    context.imageSmoothingEnabled = place.scale < 5;
    context.drawImage(kernelPicture, place.left, place.top, KERNEL * place.scale, KERNEL * place.scale);
}

function paneButton(pane, name, content, action) {
    const button = document.createElement('button');
    button.append(content);
    button.title = name;
    button.setAttribute(
        'aria-label',
        typeof content === 'string' ? `${content} ${pane}: ${name}` : `${name}: ${pane}`,
    );
    button.addEventListener('click', () => action(button));
    document.querySelector(`[data-pane="${pane}"] > header`).append(button);
    return button;
}

function compare(on) {
    splits = on;
    $('split').hidden = !on;
    compareButton.setAttribute('aria-pressed', String(on));
    moveSplit(split);
}

function moveSplit(share) {
    split = Math.min(Math.max(share, 0), 1);
    $('split').style.left = `${100 * split}%`;
    $('split').setAttribute('aria-valuenow', String(Math.round(100 * split)));
    panes.result.redraw();
}

const compareButton = paneButton('result', 'Compare before and after', icon('compare'), () =>
    compare(!splits),
);
compareButton.setAttribute('aria-pressed', 'false');
for (const [name, pane] of Object.entries(panes)) {
    paneButton(name, 'One pixel to one', '1:1', () => pane.whole());
    paneButton(name, 'Fit', icon('fit'), () => pane.fit());
    paneButton(name, 'Enlarge', icon('large'), button => {
        const large = $('panes').dataset.large !== name;
        if (large) $('panes').dataset.large = name;
        else delete $('panes').dataset.large;
        button.setAttribute('aria-pressed', String(large));
    }).setAttribute('aria-pressed', 'false');
}

$('split').addEventListener('pointerdown', event => $('split').setPointerCapture(event.pointerId));
$('split').addEventListener('pointermove', event => {
    const { left, width } = $('result').getBoundingClientRect();
    if (event.buttons) moveSplit((event.clientX - left) / width);
});
$('split').addEventListener('keydown', event => {
    const step = { ArrowLeft: -0.02, ArrowRight: 0.02, Home: -1, End: 1 }[event.key];
    if (step) (event.preventDefault(), moveSplit(split + step));
});

// ---- Tools --------------------------------------------------------------------------------------

$('clear').addEventListener('click', () => change({ strokes: [] }));
$('descreen').addEventListener('click', () => {
    const strokes = painter.everything();
    if (!strokes.length) return say('This picture has no pattern that repeats.');
    change({ strokes: [...present().strokes, ...strokes.map(rounded)] });
});
$('keeps-mean').addEventListener('change', () => change({ keepsMean: $('keeps-mean').checked }));
$('border').addEventListener('change', () => change({ border: $('border').value }));
$('alpha').addEventListener('change', () => change({ alpha: $('alpha').value }));
$('linear').addEventListener('change', () => change({ linear: $('linear').checked }));
$('undo').addEventListener('click', () => travel(doc.undo));
$('redo').addEventListener('click', () => travel(doc.redo));
for (const id of ['tone', 'phase']) $(id).addEventListener('input', () => showSpectrum());

let field = null;

document.addEventListener('keydown', event => {
    const { target } = event,
        types = target.matches('input[type="text"], input[type="number"], select');
    if ((event.ctrlKey || event.metaKey) && !types) {
        const key = event.key.toLowerCase();
        if (key === 'z' && !event.shiftKey) travel(doc.undo);
        else if (key === 'y' || key === 'z') travel(doc.redo);
        else if (key === 'o') $('file').click();
        else return;
        return event.preventDefault();
    }
    if (types || event.altKey || event.ctrlKey || event.metaKey) return;
    const tool = Object.keys(TOOLS).find(name => TOOLS[name][1].toLowerCase() === event.key);
    if (tool) chooseTool(tool);
    else if (event.key === '[' || event.key === ']')
        (($('size').value = Number($('size').value) + (event.key === ']' ? 5 : -5)), readSliders());
    else if (event.key === 'c') compare(!splits);
});

// ---- Pictures -----------------------------------------------------------------------------------

/** Opens { blob, name } or { own }. A picture that is opened meanwhile takes its place. */
async function open(source) {
    const number = ++opening,
        name = source.name ?? PICTURES[source.own].title;
    closeCamera();
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
        await examine(picture);
        return true;
    } catch (error) {
        if (number === opening) opens = '';
        notePicture();
        fail(error);
        return false;
    }
}

function takePicture(taken) {
    picture = taken;
    result = preview = spectrum = null;
    levels = [];
    peaks = [];
    fullTime = 1000;
    previewPixels = 512 ** 2;
    $('alpha-row').hidden = !picture.alpha;
    pictureView.set({ scale: 0 });
    spectrumView.set({ scale: 0 });
    notePicture();
}

function notePicture() {
    const { name, width, height, depth } = picture ?? {};
    $('picture-note').textContent = picture
        ? `${name}, ${width} × ${height}${depth === 16 ? ', 16 bits' : ''}`
        : '';
}

// ---- The camera ----

const SPECTRUM_EVERY = 6; // frames

function closeCamera() {
    camera?.close();
    camera = null;
}

async function openCamera() {
    closeCamera();
    let mine;
    try {
        mine = camera = await Camera.open();
    } catch (error) {
        return fail(error);
    }
    let frames = 0;
    await mine.run(async bitmap => {
        const asked = sequence,
            document = shown(),
            { width, height } = bitmap;
        const answer = await live
            .do('frame', { bitmap, document, examines: frames % SPECTRUM_EVERY === 0 }, [bitmap])
            .catch(fail);
        if (!answer || mine !== camera) return;
        if (!frames++)
            takePicture({
                name: 'Camera',
                own: '',
                width,
                height,
                alpha: false,
                depth: 8,
                canvas: toCanvas(answer.rgba, width, height),
            });
        else toCanvas(answer.rgba, width, height, picture.canvas);
        if (answer.problem) refuse(answer.problem, document);
        else if (!doc.isIdentity(document)) accept(document);
        const canvas = answer.filtered
            ? toCanvas(
                  answer.filtered,
                  width,
                  height,
                  result?.canvas === picture.canvas ? null : result?.canvas,
              )
            : picture.canvas;
        result = { canvas, left: 0, top: 0, width, height, sequence: asked };
        preview = null;
        $('result-note').textContent = `${Math.round(answer.took)} ms a frame`;
        if (answer.spectrum) {
            spectrum = answer.spectrum;
            showSpectrum();
        }
        panes.picture.redraw();
        showResult();
        if (frames === 1) {
            showCallout();
            window.document.documentElement.dataset.opened =
                window.document.documentElement.dataset.examined = 'Camera';
        }
    });
}

// The worker may hold a later picture than the one that a task was for; its answers are then dropped.
async function examine(of) {
    const [seen, found] = await Promise.all([
        live.do('spectrum'),
        live.do('peaks').catch(() => ({ peaks: [] })),
    ]);
    if (of !== picture) return;
    spectrum = seen;
    peaks = found.peaks;
    showSpectrum();
    showCallout();
    document.documentElement.dataset.examined = of.name;
}

function showSpectrum() {
    if (!spectrum) return;
    levels = renderSpectrum(spectrum, $('tone').value / 100, $('phase').checked);
    panes.spectrum.redraw();
}

function showCallout() {
    const offers = spectrum && !present().strokes.length && doc.present(history).filter === '';
    $('callout').hidden = !offers;
    $('callout').textContent = peaks.length
        ? 'Bright spots are patterns that repeat. Click one.'
        : 'Paint here: what you touch disappears from the picture.';
    if (offers && !peaks.length && settings.tool === 'dots') chooseTool('brush');
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
if (navigator.mediaDevices) menuItem($('pictures'), 'Camera', 'its spectrum moves along', openCamera);

function openOwn(name, document = doc.EMPTY) {
    history = doc.begin(document);
    follow();
    return open({ own: name });
}

// ---- Guided examples ----------------------------------------------------------------------------

function guide(example, at) {
    const { text, link } = example.steps[at],
        { picture: name, document } = decode(link);
    $('guide').hidden = false;
    $('guide-title').textContent = example.title;
    $('guide-text').textContent = text;
    $('guide-step').textContent = `${at + 1} of ${example.steps.length}`;
    $('guide-back').disabled = at === 0;
    $('guide-next').disabled = at + 1 === example.steps.length;
    $('guide-back').onclick = () => guide(example, at - 1);
    $('guide-next').onclick = () => guide(example, at + 1);
    $('guide').scrollIntoView({ block: 'nearest' });
    openOwn(name, document);
}

$('guide-close').addEventListener('click', () => ($('guide').hidden = true));
for (const example of EXAMPLES) menuItem($('examples'), example.title, '', () => guide(example, 0));

// ---- Menus --------------------------------------------------------------------------------------

const linkOf = () => `${location.origin}${location.pathname}#${encode(present(), picture?.own)}`;
$('copy-link').addEventListener('click', () => copy(linkOf(), 'The link'));
$('copy-command').addEventListener('click', () => {
    if (!picture) return;
    const document = present(),
        gains = document.strokes.length
            ? paint(document.strokes, maskGrid(picture.width, picture.height), document.keepsMean)
            : [1];
    const name = picture.own ? 'picture.png' : picture.name;
    copy(
        commandOf(document, name, {
            most: gains.reduce((a, b) => Math.max(a, b), 1),
            alpha: picture.alpha,
            offset,
        }),
        document.strokes.length ? 'The command, which reads the mask that “Save” writes,' : 'The command',
    );
});

async function save(kind) {
    if (!picture) return;
    const base = picture.own || picture.name.replace(/\.[^.]*$/, ''),
        document = present();
    try {
        if ((kind === 'mask' && !document.strokes.length) || (kind === 'kernel' && !kernel))
            return say(kind === 'mask' ? 'Nothing is painted yet.' : 'Nothing is filtered yet.');
        if (kind === 'kernel')
            return download(new Blob([kernelText(kernel)], { type: 'text/plain' }), 'abbe-kernel.txt');
        const { blob } = await live.do('save', {
            document,
            kind: kind === 'png16' ? 'png' : kind,
            deep: kind === 'png16',
        });
        download(
            blob,
            kind === 'mask'
                ? 'abbe-mask.png'
                : `${base}-abbe.${{ jpeg: 'jpg', png16: 'png' }[kind] ?? kind}`,
        );
    } catch (error) {
        fail(error);
    }
}
for (const button of $('saves').children) button.addEventListener('click', () => save(button.dataset.save));

// ---- The beginning ------------------------------------------------------------------------------

/** Opens what the link says; a damaged link opens the page as it is, with a sentence. */
function followLink() {
    let linked = { picture: '', document: doc.EMPTY };
    try {
        linked = decode(location.hash);
        if (linked.picture && !PICTURES[linked.picture])
            throw new LinkError(`The link is damaged: there is no picture “${linked.picture}” here.`);
    } catch (error) {
        fail(error);
        linked = { picture: '', document: doc.EMPTY };
    }
    if (picture && !linked.picture) {
        history = doc.push(history, linked.document);
        return follow();
    }
    return openOwn(linked.picture || 'print', linked.document);
}

addEventListener('hashchange', followLink);
const first = followLink();
try {
    ({ catalogue, detail } = await live.do('start'));
    detail = `CPU (${detail})`;
    field = new FilterField({
        input: $('filter'),
        list: $('completions'),
        keys: $('keys'),
        catalogue,
        change: filter => change({ filter }, 'filter'),
    });
    follow();
} catch (error) {
    fail(error);
}
await first; // the files for later do not hold up the first picture
if ('serviceWorker' in navigator && location.protocol.startsWith('http'))
    navigator.serviceWorker.register('sw.js').catch(() => {}); // without it the page works, but not offline
