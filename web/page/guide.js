// Guided examples: a panel that goes from step to step.
import { EXAMPLES } from './examples.js';
import { decode } from './link.js';
import { $ } from './messages.js';
import { openOwn } from './opening.js';
import { menuItem } from './widgets.js';

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
