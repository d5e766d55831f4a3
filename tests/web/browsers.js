// Debian's browsers, driven by puppeteer-core, and the server of the pages that they open.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn } from 'node:child_process';

const folder = fileURLToPath(new URL('.', import.meta.url));
const { launch } = createRequire(new URL('../../web/package.json', import.meta.url))('puppeteer-core');
const KINDS = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };

/** Serves folders by the first part of the path: { libabbe: '/…', tests: '/…' }. */
export async function serve(folders) {
    const server = createServer(async (request, response) => {
        const [, first, ...rest] = normalize(new URL(request.url, 'http://localhost').pathname).split('/');
        try {
            const body =
                first === ''
                    ? '<!doctype html><title>test</title>'
                    : await readFile(join(folders[first], ...rest));
            response.setHeader(
                'Content-Type',
                first === '' ? 'text/html' : (KINDS[extname(request.url)] ?? 'text/plain'),
            );
            response.end(body);
        } catch {
            response.statusCode = 404;
            response.end();
        }
    });
    await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
    return { address: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

const CHROMIUM = ['--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--no-sandbox'];

/** A display without a screen, on which Firefox has WebGL. */
async function startDisplay() {
    const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    const number = await new Promise((resolve, reject) => {
        server.stdio[3].once('data', bytes => resolve(String(bytes).trim()));
        server.once('error', reject);
        server.once('exit', () => reject(new Error('Xvfb did not start')));
    });
    return { DISPLAY: `:${number}`, stop: () => server.kill() };
}

/** Opens "chromium" or "firefox" on a page of the server: { page, close }. */
export async function openBrowser(kind, address) {
    const display = kind === 'firefox' ? await startDisplay() : null;
    const common = { headless: true, protocolTimeout: 240000, timeout: 120000 };
    try {
        const browser = await launch(
            kind === 'firefox'
                ? {
                      ...common,
                      browser: 'firefox',
                      executablePath: '/usr/bin/firefox-esr',
                      env: { ...process.env, DISPLAY: display.DISPLAY },
                      extraPrefsFirefox: { 'webgl.force-enabled': true, 'webgl.disabled': false },
                  }
                : { ...common, browser: 'chrome', executablePath: '/usr/bin/chromium', args: CHROMIUM },
        );
        const page = await browser.newPage();
        await page.goto(address);
        return {
            page,
            close: async () => {
                await browser.close();
                display?.stop();
            },
        };
    } catch (error) {
        display?.stop();
        throw error;
    }
}

export const testFolder = folder;
