// The four panes, and what they draw.
import { finish, shown, sketch } from './editing.js';
import { kernelReach } from './kernel.js';
import { rounded } from './link.js';
import { $ } from './messages.js';
import { Painter } from './painter.js';
import { Pane, View } from './pane.js';
import { drawPaint, drawSpectrum } from './spectrum.js';
import { state } from './state.js';
import { settings } from './tools.js';
import { icon } from './widgets.js';

/** Pixels of a side of the kernel's picture. */
export const KERNEL = 256;

export const pictureView = new View(),
    spectrumView = new View();
const kernelView = new View();
const pictureSize = () => state.picture ?? { width: 4, height: 3 };

const drawPlaced = (context, { scale, left, top }, { canvas, left: x, top: y, width, height }) =>
    context.drawImage(canvas, left + x * scale, top + y * scale, width * scale, height * scale);

export const painter = new Painter({
    settings: () => settings,
    peaks: () => state.peaks,
    begin: sketch,
    end: stroke => finish(stroke && rounded(stroke)),
    redraw: () => panes.spectrum.redraw(),
});

const plane = () => Math.max(state.spectrum?.width ?? 512, state.spectrum?.height ?? 512);

export const panes = {
    picture: new Pane($('picture'), pictureView, {
        size: pictureSize,
        draw: (context, place) =>
            state.picture &&
            drawPlaced(context, place, { canvas: state.picture.canvas, left: 0, top: 0, ...pictureSize() }),
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
    splits = false; // whether the result is compared with the picture

const coversAll = ({ left, top, width, height }, seen) =>
    left <= Math.max(seen.left, 0) &&
    top <= Math.max(seen.top, 0) &&
    left + width >= Math.min(seen.right, state.picture.width) &&
    top + height >= Math.min(seen.bottom, state.picture.height);

function drawResult(context, place) {
    if (!state.result) return;
    const previews = state.preview && state.preview.sequence > state.result.sequence;
    if (!previews || !coversAll(state.preview, panes.result.visible()))
        drawPlaced(context, place, state.result);
    if (previews) drawPlaced(context, place, state.preview);
    if (!splits) return;
    const { clientWidth, clientHeight } = $('result');
    context.save();
    context.beginPath();
    context.rect(0, 0, split * clientWidth, clientHeight);
    context.clip();
    context.clearRect(0, 0, clientWidth, clientHeight);
    drawPlaced(context, place, {
        canvas: state.picture.canvas,
        left: 0,
        top: 0,
        width: state.picture.width,
        height: state.picture.height,
    });
    context.restore();
}

function drawPlane(context, place) {
    if (!state.levels.length) return;
    drawSpectrum(context, state.levels, plane(), place);
    drawPaint(context, shown().strokes, plane(), place, $('spectrum'));
    painter.draw(context, place, plane());
}

// Fitted, the kernel is as large as its taps allow.
function drawKernel(context, place) {
    const { clientWidth, clientHeight } = $('kernel'),
        middle = KERNEL / 2;
    if (!state.kernelPicture) {
        context.fillStyle = '#f0b45a';
        context.beginPath();
        context.arc(clientWidth / 2, clientHeight / 2, 4, 0, 2 * Math.PI);
        context.fill();
        return;
    }
    if (!kernelView.scale) {
        const scale = Math.min(clientWidth, clientHeight) / (2 * kernelReach(state.kernel));
        place = {
            scale,
            left: clientWidth / 2 - (middle + 0.5) * scale,
            top: clientHeight / 2 - (middle + 0.5) * scale,
        };
    }
    context.imageSmoothingEnabled = place.scale < 5;
    context.drawImage(state.kernelPicture, place.left, place.top, KERNEL * place.scale, KERNEL * place.scale);
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

export const isComparing = () => splits;

export function compare(on) {
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
