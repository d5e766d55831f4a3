// The worker of the teapot: teapot.wasm draws it in WebGL 2; see scene/scene.h.
import { Context, glFunctions } from './libabbe/gl.js';
import { Memory } from './libabbe/memory.js';

const FRAME = 30, // milliseconds that a frame may take; samples are as many as fit
    SAMPLES = 8;
const FLOAT = 0x1406,
    BAD_DESCRIPTOR = 8;

/** The functions of OpenGL that the scene calls beside those of the library's GL device. */
function sceneFunctions(memory, current) {
    const gl = () => current().gl,
        object = name => current().objects[name],
        at = location => current().locations[location] ?? null;
    return {
        BindRenderbuffer: (target, name) => gl().bindRenderbuffer(target, object(name)),
        BlendFunc: (source, target) => gl().blendFunc(source, target),
        BlitFramebuffer: (...numbers) => gl().blitFramebuffer(...numbers),
        BufferSubData: (target, offset, size, from) =>
            gl().bufferSubData(target, offset, memory.u8, from, size),
        Clear: what => gl().clear(what),
        ClearColor: (red, green, blue, alpha) => gl().clearColor(red, green, blue, alpha),
        DeleteRenderbuffers: (count, from) => {
            for (const name of memory.i32.slice(from >> 2, (from >> 2) + count))
                if (object(name)) (gl().deleteRenderbuffer(object(name)), current().forget(name));
        },
        DepthFunc: how => gl().depthFunc(how),
        DepthMask: on => gl().depthMask(!!on),
        DrawElements: (mode, count, type, offset) => gl().drawElements(mode, count, type, offset),
        EnableVertexAttribArray: index => gl().enableVertexAttribArray(index),
        FramebufferRenderbuffer: (target, attachment, kind, name) =>
            gl().framebufferRenderbuffer(target, attachment, kind, object(name)),
        GenRenderbuffers: (count, to) => {
            for (let i = 0; i < count; i++)
                memory.i32[(to >> 2) + i] = current().name(gl().createRenderbuffer());
        },
        GenerateMipmap: target => gl().generateMipmap(target),
        GetStringi: (_, index) => {
            const { strings } = current();
            if (!strings.has(-1 - index))
                strings.set(-1 - index, memory.text(`GL_${gl().getSupportedExtensions()[index]}`));
            return strings.get(-1 - index);
        },
        PolygonOffset: (factor, units) => gl().polygonOffset(factor, units),
        RenderbufferStorage: (target, format, width, height) =>
            gl().renderbufferStorage(target, format, width, height),
        TexStorage2D: (target, levels, format, width, height) =>
            gl().texStorage2D(target, levels, format, width, height),
        TexSubImage2D: (target, level, x, y, width, height, format, type, from) =>
            gl().texSubImage2D(
                target,
                level,
                x,
                y,
                width,
                height,
                format,
                type,
                texels(memory, type, from),
                0,
            ),
        Uniform3f: (location, x, y, z) => gl().uniform3f(at(location), x, y, z),
        Uniform4f: (location, x, y, z, w) => gl().uniform4f(at(location), x, y, z, w),
        UniformMatrix4fv: (location, count, transposed, from) =>
            gl().uniformMatrix4fv(at(location), !!transposed, floats(memory, from), 0, 16 * count),
        VertexAttribPointer: (index, size, type, normalized, stride, offset) =>
            gl().vertexAttribPointer(index, size, type, !!normalized, stride, offset),
    };
}

// The rest of the memory from an address on; OpenGL reads as much of it as it needs.
const floats = (memory, from) => new Float32Array(memory.u8.buffer, from);
const texels = (memory, type, from) => (type === FLOAT ? floats(memory, from) : memory.u8.subarray(from));

async function open() {
    const gl = new OffscreenCanvas(1, 1).getContext('webgl2');
    if (!gl) throw new Error('this browser has no WebGL 2');
    gl.getExtension('EXT_color_buffer_float');
    gl.getExtension('OES_texture_float_linear');
    let context = null;
    const memory = new Memory(),
        current = () => context,
        noFile = () => BAD_DESCRIPTOR, // libc's printf asks for them
        /** @type {Record<string, any>} */
        imports = {
            gl: { ...glFunctions(memory, current), ...sceneFunctions(memory, current) },
            wasi_snapshot_preview1: { fd_close: noFile, fd_seek: noFile, fd_write: noFile },
        };
    imports.gl.GetIntegerv = countsExtensions(imports.gl.GetIntegerv, memory, gl);
    const response = await fetch(new URL('teapot.wasm', import.meta.url)),
        { instance } = await WebAssembly.instantiate(await response.arrayBuffer(), imports),
        x = /** @type {any} */ (instance.exports);
    memory.attach(x);
    x._initialize();
    context = new Context(gl, memory);
    const scene = x.open();
    if (!scene) throw new Error(memory.read(x.reason()));
    return { memory, scene, x };
}

const NUM_EXTENSIONS = 0x821d;
const countsExtensions = (get, memory, gl) => (what, to) => {
    if (what === NUM_EXTENSIONS) memory.i32[to >> 2] = gl.getSupportedExtensions().length;
    else get(what, to);
};

let opened = null,
    samples = 1;

function draw({ memory, scene, x }, { width, height, angle, elevation }) {
    const started = performance.now(),
        at = x.draw(scene, width, height, angle, elevation, samples);
    if (!at) throw new Error(memory.read(x.reason()));
    const data = new Uint8ClampedArray(memory.u8.buffer, at, 4 * width * height).slice(),
        took = performance.now() - started;
    samples = Math.min(Math.max(Math.floor((samples * FRAME) / took), 1), samples + 1, SAMPLES);
    return createImageBitmap(new ImageData(data, width, height));
}

self.onmessage = async ({ data }) => {
    try {
        opened ??= open();
        const module = await opened,
            bitmap = data.width ? await draw(module, data) : null;
        self.postMessage({ bitmap }, { transfer: bitmap ? [bitmap] : [] });
    } catch (error) {
        self.postMessage({ problem: error.message });
    }
};
