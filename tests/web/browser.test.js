// The package in a browser, whose name is in ABBE_WEB_BROWSER: the CPU, the three engines of the GL device, a lost context.
import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { openBrowser, serve, testFolder } from './browsers.js';

const kind = process.env.ABBE_WEB_BROWSER;
let server, browser;

before(async () => {
    server = await serve({ libabbe: process.env.ABBE_WEB_PACKAGE, tests: testFolder });
    browser = await openBrowser(kind, server.address);
});
after(async () => {
    await browser?.close();
    server?.close();
});

/** Calls a function of in_page.js in the page; it returns a list of what is wrong. */
const check = (name, ...given) =>
    browser.page.evaluate(
        async (name, given) => {
            try {
                const { [name]: call } = await import('/tests/in_page.js');
                return await call(...given);
            } catch (error) {
                return [`${error?.name} ${error?.code ?? ''}: ${error?.message}\n${error?.stack}`];
            }
        },
        name,
        given,
    );

test(`${kind}: the CPU against sums in double precision`, async () =>
    assert.deepEqual(await check('checkCpu'), []));
for (const engine of ['fast', 'fialka', 'moreland'])
    for (const alone of [false, true])
        test(`${kind}: gl:${engine} at 128², by view and by texture${alone ? ', alone' : ''}`, async () =>
            assert.deepEqual(await check('checkEngine', engine, alone), []));
test(`${kind}: the state of the context is restored`, async () =>
    assert.deepEqual(await check('checkState'), []));
test(`${kind}: alone asks the context nothing`, async () => assert.deepEqual(await check('checkCalls'), []));
test(`${kind}: a context without float targets is refused`, async () =>
    assert.deepEqual(await check('checkNoFloats'), []));
test(`${kind}: bad textures`, async () => assert.deepEqual(await check('checkBadTextures'), []));
test(`${kind}: a lost context is an error, and is adopted again`, async () =>
    assert.deepEqual(await check('checkLost'), []));
