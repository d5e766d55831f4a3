// The page: it opens what the link says, starts the library, and listens to the keys.
import * as doc from './document.js';
import { change, listen, present, put, travel } from './editing.js';
import { FilterField } from './filterfield.js';
import { LinkError, decode } from './link.js';
import { $, fail } from './messages.js';
import { compare, isComparing } from './panes.js';
import { PICTURES } from './pictures.js';
import { openTeapot } from './moving.js';
import { openOwn } from './opening.js';
import { update } from './results.js';
import { live, state } from './state.js';
import { TOOLS, chooseTool, readSliders } from './tools.js';
import './guide.js';
import './saving.js';

let field = null;

listen(moving => {
    if (field && !moving) field.text = present().filter;
});

document.addEventListener('keydown', event => {
    const target = /** @type {Element} */ (event.target),
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
    else if (event.key === 'c') compare(!isComparing());
});

// ---- The beginning ------------------------------------------------------------------------------

/** Opens what the link says; a damaged link opens the page as it is, with a sentence. */
function followLink() {
    let linked = { picture: '', document: doc.EMPTY };
    try {
        linked = decode(location.hash);
        if (linked.picture && linked.picture !== 'teapot' && !PICTURES[linked.picture])
            throw new LinkError(`The link is damaged: there is no picture “${linked.picture}” here.`);
    } catch (error) {
        fail(error);
        linked = { picture: '', document: doc.EMPTY };
    }
    if (state.picture && !linked.picture) {
        return put(linked.document);
    }
    if (linked.picture === 'teapot') return openTeapot(linked.document);
    return openOwn(linked.picture || 'print', linked.document);
}

addEventListener('hashchange', followLink);
const first = followLink();
try {
    const { catalogue, detail } = await live.do('start');
    Object.assign(state, { catalogue, detail: `CPU (${detail})` });
    field = new FilterField({
        input: $('filter'),
        list: $('completions'),
        keys: $('keys'),
        catalogue,
        change: filter => change({ filter }, 'filter'),
    });
    field.text = present().filter;
    update();
} catch (error) {
    fail(error);
}
await first; // neither files for later nor exercise hold up the first picture
for (let i = 0; i < 6; i++) await live.do('warm');
if ('serviceWorker' in navigator && location.protocol.startsWith('http'))
    navigator.serviceWorker.register('sw.js').catch(() => {}); // without it the page works, but not offline
