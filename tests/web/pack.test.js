// The package as its users get it: packed, installed into an empty project, run in node, type-checked,
// and bundled for a browser.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { after } from 'node:test';
import { openBrowser, serve } from './browsers.js';

const tools = fileURLToPath(new URL('../../web/node_modules/.bin/', import.meta.url));
const project = mkdtempSync(join(tmpdir(), 'abbe-pack-'));
after(() => rmSync(project, { recursive: true }));
const run = (command, ...given) =>
    execFileSync(command, given, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

const tarball = run('npm', 'pack', '--silent', process.env.ABBE_WEB_PACKAGE).trim();
writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }');
run('npm', 'install', '--silent', '--offline', '--no-audit', '--no-fund', `./${tarball}`);
const installed = join(project, 'node_modules', 'libabbe');
const readme = readFileSync(join(installed, 'README.md'), 'utf8');

test('the tarball has what it should, and nothing else', () => {
    const files = readdirSync(installed).sort(),
        sources = files.filter(name => name.endsWith('.js'));
    assert.deepEqual(
        files.filter(name => !/\.(js|d\.ts)$/.test(name)),
        ['LICENSE', 'README.md', 'abbe.wasm', 'package.json'],
    );
    assert.deepEqual(
        files.filter(name => name.endsWith('.d.ts')),
        sources.map(name => name.replace('.js', '.d.ts')),
    );
    const { dependencies, version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    assert.equal(dependencies, undefined);
    const header = readFileSync(new URL('../../include/abbe/abbe.h', import.meta.url), 'utf8');
    assert.equal(
        version,
        ['MAJOR', 'MINOR', 'PATCH']
            .map(part => header.match(new RegExp(`ABBE_VERSION_${part} (\\d+)`))[1])
            .join('.'),
    );
});

test("README's example runs in node", () => {
    const example = readme.match(/```js\n([^]*?)```/)[1];
    writeFileSync(
        join(project, 'example.js'),
        `const width = 40, height = 30;
        const imageData = { data: new Uint8ClampedArray(width * height * 4).fill(200), width, height };
        imageData.data.fill(0, 0, 400);\n${example}
        console.log(imageData.data.filter(sample => sample !== 200 && sample !== 0).length > 1000);`,
    );
    assert.equal(run('node', 'example.js').trim(), 'true');
});

test('the declarations serve a strict TypeScript program', () => {
    writeFileSync(
        join(project, 'program.ts'),
        `import { open, AbbeError, type Abbe, type Candidate } from 'libabbe';
        import { open as start } from 'libabbe/worker';
        const abbe: Abbe = await open();
        using cpu = abbe.device('cpu');
        using plan = cpu.plan({ width: 3, height: 2, filters: ['box', abbe.mask({ width: 1, height: 1, values: [1] })], border: 'wrap' });
        const list: Candidate[] = plan.explain();
        const seconds: number = list[0].seconds;
        try { plan.run(new Uint8Array(24)); } catch (error) { if (error instanceof AbbeError) console.log(error.code.length + seconds); }
        const remote = await (await start()).device();
        const taps: number = (await remote.peaks({ data: new Float32Array(4), width: 2, height: 2 })).length;
        // @ts-expect-error a border that does not exist
        cpu.plan({ width: 3, height: 2, filters: ['box'], border: 'wall' });
        export { taps };`,
    );
    const options = [
        '--strict',
        '--noEmit',
        '--skipLibCheck',
        'false',
        '--module',
        'nodenext',
        '--target',
        'esnext',
        '--lib',
        'esnext,dom',
    ];
    run(join(tools, 'tsc'), ...options, '--types', '', 'program.ts');
});

test('a bundle runs in Chromium, with and without the worker', async () => {
    writeFileSync(
        join(project, 'main.js'),
        `import { open } from 'libabbe';
        import { open as start } from 'libabbe/worker';
        const picture = () => ({ data: Uint8Array.from({ length: 100 }, (_, i) => 2 * i), width: 10, height: 10 });
        export const here = async () => [...(await open()).device().apply('box:radius=1', picture()).data];
        export const there = async () => [...(await (await (await start()).device()).apply('box:radius=1', picture())).data];`,
    );
    run(
        join(tools, 'esbuild'),
        'main.js',
        'node_modules/libabbe/worker-thread.js',
        '--bundle',
        '--minify',
        '--format=esm',
        '--target=es2022',
        '--outdir=bundle',
        '--entry-names=[name]',
        '--log-level=warning',
    );
    cpSync(join(installed, 'abbe.wasm'), join(project, 'bundle', 'abbe.wasm'));
    const server = await serve({ bundle: join(project, 'bundle') });
    const browser = await openBrowser('chromium', server.address);
    try {
        const [here, there] = await browser.page.evaluate(async () => {
            const bundle = await import('/bundle/main.js');
            return [await bundle.here(), await bundle.there()];
        });
        const at = (x, y) => 2 * (10 * Math.min(Math.max(y, 0), 9) + Math.min(Math.max(x, 0), 9)); // reflect repeats the edge
        const want = (x, y) =>
            [-1, 0, 1].flatMap(j => [-1, 0, 1].map(i => at(x + i, y + j))).reduce((a, b) => a + b) / 9;
        here.forEach((sample, i) =>
            assert.ok(Math.abs(sample - want(i % 10, Math.floor(i / 10))) <= 0.51, `sample ${i}`),
        );
        assert.deepEqual(there, here);
    } finally {
        await browser.close();
        server.close();
    }
});
