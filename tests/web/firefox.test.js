// The page in Firefox: it opens a picture, and a stroke gives the library's own answer.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Tab, launch, lens, module, serve } from './page.js';

let server, browser;
const { ownPicture } = await module('pictures.js'),
    link = await module('link.js');

before(async () => {
    server = await serve();
    browser = await launch('firefox');
});
after(async () => {
    await browser?.close();
    server?.close();
});

test('a stroke in Firefox is shown as the library computes it', async () => {
    const tab = await Tab.open(browser, `${server.url}#p=page`, { width: 1280, height: 860 });
    const picture = ownPicture('page');
    await tab.tool('brush');
    await tab.drag([
        [0.1, 0.05],
        [0.2, 0.1],
    ]);
    const { document } = link.decode(await tab.link());
    assert.equal(document.strokes.length, 1);
    await tab.assertShown((await lens()).run(document, picture));
    assert.deepEqual(tab.errors, []);
});
