// The layout and the types of the modules of the page, and the layout of the package and its tests.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { SITE } from './page.js';

const root = fileURLToPath(new URL('../../', import.meta.url)),
    tool = name => join(root, 'web/node_modules/.bin', name);

const run = (name, words) =>
    new Promise(resolve =>
        execFile(tool(name), words, { cwd: root }, (_, out, errors) => resolve(out + errors)),
    );

test('files are laid out by prettier', async () => {
    const report = await run('prettier', [
        '--config=web/.prettierrc.json',
        '--check',
        'web/**/*.{js,mjs,html,css}',
        'tests/web/*.js',
    ]);
    assert.match(report, /All matched files use Prettier code style/, `run scripts/format\n${report}`);
});

// The types of the library are beside the page where it is put together.
test('the modules of the page agree in their types', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'abbe-types-'));
    try {
        await cp(SITE, folder, { recursive: true });
        await cp(join(root, 'web/page/tsconfig.json'), join(folder, 'tsconfig.json'));
        assert.equal(await run('tsc', ['-p', folder]), '');
    } finally {
        await rm(folder, { recursive: true, force: true });
    }
});
