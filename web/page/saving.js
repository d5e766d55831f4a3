// What leaves the page: links, command lines, files.
import { commandOf } from './command.js';
import { present } from './editing.js';
import { kernelText } from './kernel.js';
import { encode } from './link.js';
import { paint } from './mask.js';
import { $, copy, download, fail, say } from './messages.js';
import { live, state } from './state.js';
import { gridFor } from './strokes.js';

const linkOf = () => `${location.origin}${location.pathname}#${encode(present(), state.picture?.own)}`;
$('copy-link').addEventListener('click', () => copy(linkOf(), 'The link'));
$('copy-command').addEventListener('click', () => {
    if (!state.picture) return;
    const document = present(),
        gains = document.strokes.length
            ? paint(document.strokes, gridFor(state.picture), document.keepsMean)
            : [1];
    const name = state.picture.own ? 'picture.png' : state.picture.name;
    copy(
        commandOf(document, name, {
            most: gains.reduce((a, b) => Math.max(a, b), 1),
            alpha: state.picture.alpha,
            offset: state.offset,
        }),
        document.strokes.length ? 'The command, which reads the mask that “Save” writes,' : 'The command',
    );
});

async function save(kind) {
    if (!state.picture) return;
    const base = state.picture.own || state.picture.name.replace(/\.[^.]*$/, ''),
        document = present();
    try {
        if ((kind === 'mask' && !document.strokes.length) || (kind === 'kernel' && !state.kernel))
            return say(kind === 'mask' ? 'Nothing is painted yet.' : 'Nothing is filtered yet.');
        if (kind === 'kernel')
            return download(new Blob([kernelText(state.kernel)], { type: 'text/plain' }), 'abbe-kernel.txt');
        const { blob } = await live.do('save', {
            document,
            kind: kind === 'png16' ? 'png' : kind,
            deep: kind === 'png16',
        });
        download(
            blob,
            kind === 'mask' ? 'abbe-mask.png' : `${base}-abbe.${{ jpeg: 'jpg', png16: 'png' }[kind] ?? kind}`,
        );
    } catch (error) {
        fail(error);
    }
}
for (const button of $('saves').children) button.addEventListener('click', () => save(button.dataset.save));
