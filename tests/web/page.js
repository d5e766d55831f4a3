// What the tests of the page share: a server, a browser, and the library in node.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { createServer } from 'node:http';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

export const SITE = process.env.ABBE_WEB_PAGE;
const TOOLS = process.env.ABBE_WEB_TOOLS ?? new URL('../../web/', import.meta.url).pathname;
export const require = createRequire(join(TOOLS, 'package.json'));
const TYPES = {
    '.html': 'text/html',
    '.js': 'text/javascript',
    '.css': 'text/css',
    '.svg': 'image/svg+xml',
    '.wasm': 'application/wasm',
    '.json': 'application/json',
    '.webmanifest': 'application/manifest+json',
};

export const module = name => import(pathToFileURL(join(SITE, name)));

/** Serves the page on a free port of this machine. */
export async function serve() {
    const server = createServer(async (request, response) => {
        const path = new URL(request.url, 'http://localhost').pathname.replace(/\/$/, '/index.html');
        try {
            const body = await readFile(join(SITE, path));
            response
                .writeHead(200, {
                    'content-type': TYPES[extname(path)] ?? 'text/plain',
                    'cache-control': 'no-store',
                })
                .end(body);
        } catch {
            response.writeHead(404).end();
        }
    });
    await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
    return {
        url: `http://localhost:${server.address().port}/`,
        close: () => (server.closeAllConnections(), server.close()),
    };
}

const CHROMIUM = [
    '--use-gl=angle',
    '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader',
    '--use-fake-device-for-media-stream',
    '--use-fake-ui-for-media-stream',
    '--js-flags=--expose-gc',
];

/** `flags` are those of Chromium; without them, it draws as it does where there is no GPU. */
export async function launch(kind = 'chrome', flags = CHROMIUM) {
    const { launch } = require('puppeteer-core');
    return kind === 'chrome'
        ? launch({
              executablePath: '/usr/bin/chromium',
              headless: true,
              args: ['--no-sandbox', ...flags],
              timeout: 60000,
              protocolTimeout: 60000,
          })
        : launch({
              browser: 'firefox',
              executablePath: '/usr/bin/firefox-esr',
              headless: true,
              timeout: 60000,
              protocolTimeout: 60000,
          });
}

/** One tab with the page in it, and what tests do there. */
export class Tab {
    static async open(browser, url, { width = 1280, height = 860, touch = false } = {}) {
        const tab = new Tab();
        tab.page = await browser.newPage();
        tab.errors = [];
        tab.page.on('pageerror', error => tab.errors.push(error.message));
        tab.page.on('console', message => message.type() === 'error' && tab.errors.push(message.text()));
        await tab.page.setViewport({ width, height, hasTouch: touch, isMobile: touch });
        await tab.page.goto(url);
        await tab.examined();
        return tab;
    }

    examined() {
        return this.page.waitForFunction(
            () =>
                document.documentElement.dataset.examined === document.documentElement.dataset.opened &&
                document.documentElement.dataset.opened &&
                document.querySelector('#tools [aria-checked="true"]') &&
                document.getElementById('keys'),
        );
    }

    /** Waits for the full result of everything that was done so far. */
    async settled() {
        await this.page.waitForFunction(
            () => document.documentElement.dataset.asked === document.documentElement.dataset.done,
        );
    }

    alert() {
        return this.page.$eval('#alert', element => element.textContent);
    }

    async says(pattern) {
        await this.page.waitForFunction(
            source => new RegExp(source).test(document.getElementById('alert').textContent),
            {},
            pattern.source,
        );
    }

    /** The point of the screen that shows a frequency. */
    async at(x, y) {
        const box = await (await this.page.$('#spectrum')).boundingBox(),
            side = Math.min(box.width, box.height);
        return { x: box.x + box.width / 2 + x * side, y: box.y + box.height / 2 + y * side };
    }

    tool(name, deed = 'remove') {
        return this.page.evaluate(
            (name, deed) => {
                document.querySelector(`#tools [data-value="${name}"]`).click();
                document.querySelector(`#deeds [data-value="${deed}"]`).click();
            },
            name,
            deed,
        );
    }

    /** Drags the mouse over frequencies [[x, y], …]. */
    async drag(frequencies) {
        const points = [];
        for (const [x, y] of frequencies) points.push(await this.at(x, y));
        await this.page.mouse.move(points[0].x, points[0].y);
        await this.page.mouse.down();
        for (const point of points.slice(1)) await this.page.mouse.move(point.x, point.y, { steps: 4 });
        await this.page.mouse.up();
        await this.settled();
    }

    /** The fragment that “Copy a link” makes. */
    async link() {
        await this.page.evaluate(
            () => (navigator.clipboard.writeText = text => ((window.copied = text), Promise.resolve())),
        );
        await this.page.evaluate(() => document.getElementById('copy-link').click());
        await this.page.waitForFunction(() => window.copied);
        return new URL(await this.page.evaluate(() => window.copied)).hash;
    }

    /** The bytes of the file that “Save” gives. */
    async save(kind) {
        const folder = await mkdtemp(join(tmpdir(), 'abbe-page-'));
        try {
            const session = await this.page.createCDPSession();
            await session.send('Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder });
            await this.page.evaluate(kind => document.querySelector(`[data-save="${kind}"]`).click(), kind);
            for (let i = 0; i < 400; i++) {
                const [name] = await readdir(folder);
                if (name && !name.endsWith('.crdownload') && (await readFile(join(folder, name))).length)
                    return { name, bytes: new Uint8Array(await readFile(join(folder, name))) };
                await pause(25);
            }
            throw new Error(`nothing was saved; the page says “${await this.alert()}”`);
        } finally {
            await rm(folder, { recursive: true, force: true });
        }
    }

    /** Fails unless the middle of the result's pane, at one pixel to one, shows these RGB pixels. */
    async assertShown({ width, height, data }, side = 200) {
        await this.page.click('[aria-label^="1:1 result"]');
        const shown = await this.page.$eval(
            '#result',
            async (canvas, side) => {
                await new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)));
                const corner = length => Math.round(length / 2) - side / 2;
                const context = canvas.getContext('2d'),
                    left = corner(canvas.width),
                    top = corner(canvas.height);
                return [
                    canvas.width,
                    canvas.height,
                    left,
                    top,
                    ...context.getImageData(left, top, side, side).data,
                ];
            },
            side,
        );
        const [canvasWidth, canvasHeight, left, top, ...rgba] = shown,
            expected = [],
            seen = [];
        const x = left - Math.round(canvasWidth / 2 - width / 2),
            y = top - Math.round(canvasHeight / 2 - height / 2);
        for (let row = 0; row < side; row++)
            for (let i = 0; i < 3 * side; i++) {
                expected.push(data[3 * ((y + row) * width + x) + i]);
                seen.push(rgba[4 * (row * side + Math.floor(i / 3)) + (i % 3)]);
            }
        assert.ok(new Set(expected).size > 20);
        assert.deepEqual(
            Buffer.from(seen).equals(Buffer.from(expected)),
            true,
            'the pane shows other pixels than the result has',
        );
    }

    /** Drops a file of these bytes on the page, several times in a row if there are several names. */
    async drop(names, bytes, type = '') {
        await this.page.evaluate(
            (names, base64, type) => {
                const bytes = Uint8Array.from(atob(base64), letter => letter.charCodeAt(0));
                for (const name of names) {
                    const data = new DataTransfer();
                    data.items.add(new File([bytes], name, { type }));
                    dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }));
                }
            },
            [names].flat(),
            Buffer.from(bytes).toString('base64'),
            type,
        );
    }

    async opened(name) {
        await this.page.waitForFunction(name => document.documentElement.dataset.examined === name, {}, name);
    }
}

/** The library in node, from the very files that the page uses. */
export async function lens() {
    const { open } = await module('libabbe/index.js'),
        { Lens } = await module('lens.js');
    return new Lens(await open({ wasm: await readFile(join(SITE, 'libabbe/abbe.wasm')) }));
}
