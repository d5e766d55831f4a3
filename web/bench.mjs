// Prints sizes and times of the package: node web/bench.mjs [WIDTH]
import { readFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { open } from '../build/web/libabbe/index.js';

const wasm = readFileSync(new URL('../build/web/libabbe/abbe.wasm', import.meta.url));
const size = bytes =>
    `${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} gzipped, ${brotliCompressSync(bytes).length} by brotli`;
console.log(`abbe.wasm   ${size(wasm)}`);

const side = Number(process.argv[2] ?? 1024),
    abbe = await open({ wasm }),
    cpu = abbe.device();
const pixels = Uint8Array.from({ length: side * side * 4 }, (_, i) => Math.imul(i, 2654435761) >>> 24),
    result = pixels.slice();
const mask = { width: side, height: side, values: new Float64Array(side * side).fill(0.5) };
const milliseconds = call => {
    let best = Infinity;
    for (let i = 0; i < 25; i++) {
        const begin = performance.now();
        call();
        best = Math.min(best, performance.now() - begin);
    }
    return best.toFixed(1).padStart(7) + ' ms';
};
console.log(`${side}² RGBA of 8 bits, ${cpu.detail}, best of 25`);
for (const [filter, method, border] of [
    ['gaussian:sigma=3', 'separable', 'reflect'],
    ['gaussian:sigma=12', 'fft', 'reflect'],
    ['gaussian:sigma=12', 'tiles', 'reflect'],
    ['motion:length=40:angle=30', 'fft', 'reflect'],
    ['lowpass', 'fft', 'wrap'],
]) {
    const plan = cpu.plan({ width: side, height: side, filters: [filter], method, border });
    console.log(`${milliseconds(() => plan.run(pixels, result))}  ${filter}, ${method}, ${border}`);
    plan.dispose();
}
for (const border of ['wrap', 'reflect']) {
    const plan = cpu.plan({ width: side, height: side, filters: ['lowpass'], border });
    console.log(`${milliseconds(() => abbe.mask(mask).dispose())}  a mask of ${side}², made`);
    const filter = abbe.mask(mask);
    console.log(
        `${milliseconds(() => plan.replace([filter]))}  the filter of a plan replaced by it, ${border}`,
    );
    console.log(`${milliseconds(() => plan.run(pixels, result))}  a run with it, ${border}`);
    const painted = abbe.mask({ ...mask, values: mask.values.map((_, i) => 0.5 + (i % 7) / 14) });
    plan.replace([painted]);
    const stroke = { width: 40, height: 40, values: new Float64Array(1600).fill(0.25) };
    console.log(
        `${milliseconds(() => plan.repaint(stroke, side >> 3, side >> 3))}  a stroke of 40² painted into it, ${border}`,
    );
    plan.dispose();
}
