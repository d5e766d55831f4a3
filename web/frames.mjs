// Prints how many results a second follow a brush, in a browser without a GPU:
//     node web/frames.mjs [chromium|firefox] [MEGAPIXELS]
import { setTimeout as pause } from 'node:timers/promises';

process.env.ABBE_WEB_PAGE ??= new URL('../build/web/page', import.meta.url).pathname;
const { Tab, launch, module, serve } = await import('../tests/web/page.js');
const kind = process.argv[2] ?? 'chromium',
    megapixels = process.argv.slice(3).map(Number);
const { ownPicture } = await module('pictures.js'),
    { encode } = await module('png.js');

/** Draws with the brush for some seconds, a point for each frame of the screen, and counts what is shown. */
async function draw(seconds) {
    const canvas = document.getElementById('spectrum'),
        box = canvas.getBoundingClientRect(),
        side = Math.min(box.width, box.height);
    const point = (kind, x, y) =>
        canvas.dispatchEvent(
            new PointerEvent(kind, {
                pointerId: 1,
                button: 0,
                buttons: 1,
                bubbles: true,
                clientX: box.left + box.width / 2 + x * side,
                clientY: box.top + box.height / 2 + y * side,
            }),
        );
    canvas.setPointerCapture = () => {};
    const shown = [];
    let screen = 0,
        fresh = true;
    addEventListener('abbe-result', ({ detail }) => {
        if (fresh && detail !== shown.at(-1)?.detail) shown.push({ detail, time: performance.now() });
        fresh = false; // two results between two frames of the screen are one to the eye
    });
    const begin = performance.now();
    point('pointerdown', 0.05, 0.05);
    while (performance.now() - begin < 1000 * seconds) {
        const t = (performance.now() - begin) / 1000;
        point('pointermove', 0.2 + 0.15 * Math.cos(3 * t), 0.2 * Math.sin(2 * t));
        await new Promise(resolve => requestAnimationFrame(resolve));
        screen++;
        fresh = true;
    }
    const taken = (performance.now() - begin) / 1000,
        gaps = shown.slice(1).map((one, i) => one.time - shown[i].time),
        released = performance.now();
    point('pointerup', 0.1, 0.1);
    const { dataset } = document.documentElement;
    while (dataset.asked !== dataset.done) await new Promise(resolve => setTimeout(resolve, 5));
    return {
        screen: screen / taken,
        results: shown.length / taken,
        longest: Math.max(...gaps),
        whole: performance.now() - released,
    };
}

const server = await serve(),
    browser = await launch(kind === 'firefox' ? 'firefox' : 'chrome', []);
try {
    for (const size of megapixels.length ? megapixels : [0.25, 1, 12]) {
        const height = Math.round(Math.sqrt((size * 1e6 * 3) / 4)),
            picture = ownPicture('hills', null, Math.round((height * 4) / 3), height);
        const tab = await Tab.open(browser, `${server.url}?device=cpu#p=page`);
        await tab.drop(
            'hills.png',
            new Uint8Array(await (await encode({ ...picture, name: undefined })).arrayBuffer()),
            'image/png',
        );
        await tab.opened('hills.png');
        await tab.tool('brush');
        await pause(300);
        const { screen, results, longest, whole } = await tab.page.evaluate(draw, 4);
        console.log(
            `${kind}, ${picture.width} × ${picture.height} RGB, reflect: ${results.toFixed(1)} results a second follow the brush, ` +
                `${screen.toFixed(1)} frames of the screen, longest wait ${longest.toFixed(0)} ms; ` +
                `the whole result ${whole.toFixed(0)} ms after it rests`,
        );
        await tab.page.close();
    }
} finally {
    await browser.close();
    server.close();
}
