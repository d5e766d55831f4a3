// The tools and what they do: settings, and the controls that change them.
import { $ } from './messages.js';
import { icon, radios } from './widgets.js';

export const TOOLS = {
    dots: ['Spot', 'S', 'Click a bright spot: it goes, with its harmonics.'],
    brush: ['Brush', 'B', 'Paint freely. Both points of every frequency are painted.'],
    line: ['Line', 'L', 'Drag from one end to the other.'],
    ring: ['Ring', 'R', 'Drag from the inner to the outer edge of a band.'],
    wedge: ['Wedge', 'W', 'Drag from one direction to another.'],
    lasso: ['Lasso', 'O', 'Draw around what you mean.'],
};
const DEEDS = { remove: 'Remove', keep: 'Keep only', scale: 'Times …', restore: 'Restore' };
export const settings = {
    tool: 'dots',
    action: 'remove',
    gain: 2,
    radius: 0.02,
    softness: 0.6,
    redraw: () => {},
};

export function chooseTool(tool) {
    settings.tool = tool;
    markTool(tool);
    $('spectrum-help').textContent = TOOLS[tool][2];
    settings.redraw();
}

export function chooseDeed(action) {
    settings.action = action;
    markDeed(action);
    $('gain-row').hidden = action !== 'scale';
}

const markTool = radios(
    $('tools'),
    Object.keys(TOOLS),
    name => {
        const text = document.createElement('span');
        text.textContent = TOOLS[name][0];
        return [icon(name), text];
    },
    chooseTool,
);
const markDeed = radios($('deeds'), Object.keys(DEEDS), name => [DEEDS[name]], chooseDeed);
for (const button of $('tools').children)
    button.title = `${TOOLS[button.dataset.value][0]} (${TOOLS[button.dataset.value][1]})`;

export function readSliders() {
    settings.radius = 0.0015 * (0.25 / 0.0015) ** ($('size').value / 100);
    settings.softness = $('softness').value / 100;
    settings.gain = Math.min(Math.max(Number($('gain').value) || 0, -20), 20);
    settings.redraw();
}
for (const id of ['size', 'softness', 'gain']) $(id).addEventListener('input', readSliders);

chooseTool('dots');
chooseDeed('remove');
readSliders();
