// libabbe/worker in node: the same results as without a worker.
import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { pathToFileURL } from 'node:url';
import { convolve, random, relativeError } from './oracle.js';

const { AbbeError, open } = await import(pathToFileURL(`${process.env.ABBE_WEB_PACKAGE}/worker.js`));
const abbe = await open();
after(() => abbe.close());
const cpu = await abbe.device('cpu');
const width = 17,
    height = 12,
    source = Float32Array.from({ length: width * height }, random(3));
const kernel = { width: 3, height: 2, values: [1, 2, 3, 4, 5, 6] };

test('plans, filters and runs', async () => {
    assert.deepEqual([await cpu.name(), await cpu.software(), abbe.version], ['cpu', false, '0.2.0']);
    const filter = await abbe.kernel(kernel),
        same = await abbe.chain([filter, 'identity']);
    assert.deepEqual([...(await same.taps()).values], kernel.values);
    assert.deepEqual(await filter.reach(), { left: 1, right: 1, up: 0, down: 1 });
    const plan = await cpu.plan({ width, height, channels: 1, type: 'f32', filters: [filter, 'identity'] });
    const want = convolve(source, width, height, 1, kernel, 'reflect');
    const [soft, copy] = await plan.run(source);
    assert.ok(relativeError(soft, want) < 1e-6 && relativeError(copy, source) < 1e-6);
    const into = [new Float32Array(source.length), new Float32Array(source.length)];
    assert.equal((await plan.run({ data: source, width, height }, into))[0], into[0]);
    assert.ok(relativeError(into[0], want) < 1e-6);
    await plan.replace(['identity', filter]);
    assert.ok(relativeError((await plan.run(source))[1], want) < 1e-6);
    assert.deepEqual(await plan.result(), { width, height, x: 0, y: 0 });
    const moved = source.slice();
    await plan.run(moved, null, { transfer: [moved.buffer] });
    assert.equal(moved.length, 0);
    assert.ok((await plan.memory()) > 0);
    await plan.dispose();
    await filter.dispose();
    await assert.rejects(plan.run(source), { code: 'ABBE_ERR_INVALID' });
});

test('lists, spectra and errors', async () => {
    assert.ok((await abbe.catalogue()).some(entry => entry.name === 'gaussian'));
    const packed = await cpu.spectrum({ data: source, width, height });
    assert.ok(relativeError((await cpu.ispectrum(packed)).data, source) < 1e-6);
    await assert.rejects(
        abbe.filter('gausian'),
        error => error instanceof AbbeError && error.code === 'ABBE_ERR_SYNTAX',
    );
    await assert.rejects(cpu.plan({ width: 0, height: 1, filters: ['box'] }), { code: 'ABBE_ERR_INVALID' });
    assert.ok(
        relativeError((await cpu.apply('identity', { data: source, width, height })).data, source) < 1e-6,
    );
});

test('a closed worker rejects what waits', async () => {
    const other = await open(),
        device = await other.device();
    const plan = await device.plan({
        width: 900,
        height: 900,
        filters: ['gaussian:sigma=40'],
        method: 'separable',
    });
    const run = plan.run(new Uint8Array(900 * 900 * 4));
    other.close();
    await assert.rejects(run, { code: 'ABBE_ERR_CANCELLED' });
});
