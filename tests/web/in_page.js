// What the browser tests do in the page. Functions return a list of what is wrong.
import { AbbeError, open } from '/libabbe/index.js';
import { convolve, random } from './oracle.js';

const N = 128;
const GAUSSIAN = 'gaussian:sigma=3';
const opened = open();

const noise = seed =>
    Uint8Array.from(
        { length: N * N * 4 },
        (
            next => () =>
                Math.floor(256 * next())
        )(random(seed)),
    );

/** Σ over the taps of a Gaussian, row by row and column by column, in double precision. */
function blur(pixels, sigma) {
    const radius = Math.ceil(4 * sigma);
    const line = Array.from({ length: 2 * radius + 1 }, (_, i) =>
        Math.exp(-((i - radius) ** 2) / (2 * sigma ** 2)),
    );
    const sum = line.reduce((a, b) => a + b),
        values = line.map(tap => tap / sum);
    const rows = convolve(pixels, N, N, 4, { width: line.length, height: 1, values }, 'reflect');
    return convolve(rows, N, N, 4, { width: 1, height: line.length, values }, 'reflect');
}

/** Samples that are more than one level from the exact result. */
function compare(what, got, want) {
    let worst = 0,
        wrong = 0;
    for (let i = 0; i < want.length; i++) {
        const error = Math.abs(got[i] - want[i]);
        worst = Math.max(worst, error);
        wrong += Number(!(error <= 1));
    }
    return wrong ? [`${what}: ${wrong} samples are wrong, by ${worst} at most`] : [];
}

function makeContext(width = 4) {
    const canvas = new OffscreenCanvas(width, 4);
    const gl = canvas.getContext('webgl2', { antialias: false, depth: false });
    if (!gl) throw new Error('this browser has no WebGL 2');
    return gl;
}

function makeTexture(gl, pixels, format = gl.RGBA8, size = N) {
    const texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, format, size, size);
    if (pixels) gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, size, size, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    gl.bindTexture(gl.TEXTURE_2D, null);
    return texture;
}

function readTexture(gl, texture) {
    const framebuffer = gl.createFramebuffer(),
        pixels = new Uint8Array(N * N * 4);
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    gl.pixelStorei(gl.PACK_ROW_LENGTH, 0);
    gl.readPixels(0, 0, N, N, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.deleteFramebuffer(framebuffer);
    return pixels;
}

export async function checkCpu() {
    const abbe = await opened,
        source = noise(1),
        cpu = abbe.device();
    const image = new ImageData(new Uint8ClampedArray(source), N, N);
    cpu.plan({ width: N, height: N, filters: [GAUSSIAN] }).run(image, image);
    return compare('cpu', image.data, blur(source, 3));
}

export async function checkEngine(engine, alone) {
    const abbe = await opened,
        gl = makeContext(),
        source = noise(2),
        want = blur(source, 3);
    const device = abbe.device(gl, { engine, alone });
    const wrong =
        device.name === 'gl' && device.detail.includes(engine) && device.software
            ? []
            : [`device ${device.name}: ${device.detail}`];
    const plan = device.plan({ width: N, height: N, filters: [GAUSSIAN, 'identity'], method: 'fft' });
    const [soft, same] = plan.run(source);
    wrong.push(...compare('view', soft, want), ...compare('view of identity', same, source));
    const from = makeTexture(gl, source),
        to = [makeTexture(gl), makeTexture(gl)];
    plan.filterTexture(from, to);
    wrong.push(...compare('texture', readTexture(gl, to[0]), want));
    wrong.push(...compare('texture of identity', readTexture(gl, to[1]), source));
    if (gl.getError()) wrong.push('an OpenGL error is left');
    plan.dispose();
    device.dispose();
    return wrong;
}

export async function checkState() {
    const abbe = await opened,
        gl = makeContext(),
        device = abbe.device(gl);
    const plan = device.plan({ width: N, height: N, filters: [GAUSSIAN] });
    const source = makeTexture(gl, noise(3)),
        result = makeTexture(gl),
        bound = makeTexture(gl);
    const array = gl.createVertexArray(),
        framebuffer = gl.createFramebuffer(),
        sampler = gl.createSampler(),
        buffer = gl.createBuffer();
    gl.bindVertexArray(array);
    gl.bindFramebuffer(gl.FRAMEBUFFER, framebuffer);
    gl.bindSampler(1, sampler);
    gl.activeTexture(gl.TEXTURE2);
    gl.bindTexture(gl.TEXTURE_2D, bound);
    gl.bindBuffer(gl.PIXEL_UNPACK_BUFFER, buffer);
    gl.enable(gl.SCISSOR_TEST);
    gl.enable(gl.BLEND);
    gl.colorMask(true, false, true, false);
    gl.viewport(1, 2, 3, 4);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    const read = () =>
        [
            gl.VERTEX_ARRAY_BINDING,
            gl.DRAW_FRAMEBUFFER_BINDING,
            gl.READ_FRAMEBUFFER_BINDING,
            gl.ACTIVE_TEXTURE,
            gl.TEXTURE_BINDING_2D,
            gl.PIXEL_UNPACK_BUFFER_BINDING,
            gl.SCISSOR_TEST,
            gl.BLEND,
            gl.COLOR_WRITEMASK,
            gl.VIEWPORT,
            gl.UNPACK_ALIGNMENT,
            gl.CURRENT_PROGRAM,
        ].map(name => gl.getParameter(name));
    const before = read();
    plan.filterTexture(source, result);
    const after = read();
    const equal = (a, b) => a === b || (a?.length !== undefined && String([...a]) === String([...b]));
    return before
        .flatMap((value, i) => (equal(value, after[i]) ? [] : [`state ${i} was ${value} and is ${after[i]}`]))
        .concat(gl.getError() ? ['an OpenGL error is left'] : []);
}

export async function checkCalls() {
    const abbe = await opened,
        gl = makeContext(),
        calls = {};
    const counted = new Proxy(gl, {
        get(target, name) {
            const value = target[name];
            if (typeof value !== 'function') return value;
            return (...given) => {
                calls[name] = (calls[name] ?? 0) + 1;
                return value.apply(target, given);
            };
        },
    });
    const device = abbe.device(counted, { alone: true });
    const plan = device.plan({ width: N, height: N, filters: [GAUSSIAN], method: 'fft' });
    const source = makeTexture(gl, noise(4)),
        result = makeTexture(gl);
    plan.filterTexture(source, result);
    for (const name of Object.keys(calls)) delete calls[name];
    plan.filterTexture(source, result);
    return Object.keys(calls)
        .filter(name => /^(get|is(?!ContextLost)|check|finish|readPixels)/.test(name))
        .map(name => `${name} was called`)
        .concat(calls.drawArrays > 3 ? [] : ['nothing was drawn']);
}

/** A context that cannot draw into floats is refused with a reason. */
export async function checkNoFloats() {
    const abbe = await opened,
        gl = makeContext();
    const poor = new Proxy(gl, {
        get(target, name) {
            if (name === 'getSupportedExtensions') return () => ['OES_texture_float_linear'];
            if (name === 'getExtension')
                return wanted => (wanted === 'EXT_color_buffer_float' ? null : target.getExtension(wanted));
            const value = target[name];
            return typeof value === 'function' ? value.bind(target) : value;
        },
    });
    try {
        abbe.device(poor);
        return ['it was adopted'];
    } catch ({ code, message }) {
        return code === 'ABBE_ERR_DEVICE' && /float/.test(message) ? [] : [`${code}: ${message}`];
    }
}

export async function checkBadTextures() {
    const abbe = await opened,
        gl = makeContext(),
        device = abbe.device(gl);
    const plan = device.plan({ width: N, height: N, filters: [GAUSSIAN] }),
        good = makeTexture(gl, noise(5)),
        gone = makeTexture(gl);
    gl.deleteTexture(gone);
    const other = makeTexture(makeContext()),
        wrong = [];
    const fails = (what, call) => {
        try {
            call();
            wrong.push(`${what}: no error`);
        } catch (error) {
            if (!(error instanceof AbbeError) || !/^ABBE_ERR_(INVALID|DEVICE)$/.test(error.code))
                wrong.push(`${what}: ${error}`);
        }
    };
    fails('the source as result', () => plan.filterTexture(good, good));
    fails('null', () => plan.filterTexture(null, good));
    fails('a number', () => plan.filterTexture(3, good));
    fails('a deleted texture', () => plan.filterTexture(good, gone));
    fails('a texture of another context', () => plan.filterTexture(good, other));
    fails('too many results', () => plan.filterTexture(good, [good, good]));
    fails('a canvas', () => abbe.device(new OffscreenCanvas(1, 1)));
    plan.filterTexture(good, makeTexture(gl));
    return wrong;
}

/** Waits for an event of a canvas. */
const happens = (gl, name) =>
    new Promise((resolve, reject) => {
        setTimeout(() => reject(new Error(`${name} did not happen`)), 20000);
        gl.canvas.addEventListener(
            name,
            event => {
                event.preventDefault(); // a lost context may be restored
                setTimeout(resolve);
            },
            { once: true },
        );
    });

export async function checkLost() {
    const abbe = await opened,
        gl = makeContext(),
        source = noise(6),
        wrong = [];
    const device = abbe.device(gl),
        plan = device.plan({ width: N, height: N, filters: [GAUSSIAN] });
    const want = blur(source, 3);
    wrong.push(...compare('before', plan.run(source), want));
    const lose = gl.getExtension('WEBGL_lose_context');
    const fails = what => {
        for (const call of [
            () => plan.run(source),
            () => plan.filterTexture(gl.createTexture(), gl.createTexture()),
            () => device.plan({ width: N, height: N, filters: ['box'] }),
        ])
            try {
                call();
                wrong.push(`${what}: no error`);
            } catch (error) {
                if (error.code !== 'ABBE_ERR_DEVICE' || !/lost/.test(error.message))
                    wrong.push(`${what}: ${error.code} ${error.message}`);
            }
    };
    const lost = happens(gl, 'webglcontextlost');
    lose.loseContext();
    fails('at once');
    await lost;
    fails('lost');
    if (!device.lost) wrong.push('the device does not know');
    const restored = happens(gl, 'webglcontextrestored');
    lose.restoreContext();
    await restored;
    fails('restored');
    plan.dispose();
    device.dispose();
    const again = abbe.device(gl);
    wrong.push(
        ...compare('again', again.plan({ width: N, height: N, filters: [GAUSSIAN] }).run(source), want),
    );
    return wrong;
}
