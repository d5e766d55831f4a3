// The functions of OpenGL ES 3.0 that libabbe's GL device calls, on a WebGL 2 context.
//
// Objects of WebGL are numbered from 1; 0 is none. A context keeps its numbers while it is adopted.

/** @typedef {import('./memory.js').Memory} Memory */

/** Constants of OpenGL that are compared here. */
const RENDERER = 0x1f01,
    VERSION = 0x1f02,
    EXTENSIONS = 0x1f03;
const MAJOR_VERSION = 0x821b,
    MINOR_VERSION = 0x821c,
    UNPACK_ROW_LENGTH = 0x0cf2,
    PACK_ROW_LENGTH = 0x0d02;
/** Samples of a texel by its format: RGBA, RGBA_INTEGER, RED, RED_INTEGER, RG, RG_INTEGER, RGB. */
const SAMPLES = /** @type {Record<number, number>} */ ({
    0x1908: 4,
    0x8d99: 4,
    0x1903: 1,
    0x8d94: 1,
    0x8227: 2,
    0x8228: 2,
    0x1907: 3,
});

/**
 * The views of samples by their type.
 * @param {ArrayBuffer} buffer
 * @param {number} type
 * @param {number} at
 * @param {number} count
 */
function samples(buffer, type, at, count) {
    switch (type) {
        case 0x1401:
            return new Uint8Array(buffer, at, count);
        case 0x1403:
        case 0x140b:
            return new Uint16Array(buffer, at, count);
        case 0x1404:
            return new Int32Array(buffer, at, count);
        case 0x1405:
            return new Uint32Array(buffer, at, count);
        case 0x1406:
            return new Float32Array(buffer, at, count);
        default:
            throw new Error(`libabbe: pixels of the type ${type} are not known`);
    }
}

/** One adopted context: its objects by number, and what the module has set. */
export class Context {
    /** @param {WebGL2RenderingContext} gl @param {Memory} memory */
    constructor(gl, memory) {
        this.gl = gl;
        this.memory = memory;
        /** @type {any[]} */
        this.objects = [null];
        /** @type {number[]} */
        this.unused = [];
        /** @type {Map<object, number>} */
        this.names = new Map();
        /** @type {(WebGLUniformLocation | null)[]} */
        this.locations = [];
        /** @type {Map<number, number>} */
        this.strings = new Map();
        this.unpackLength = 0;
        this.packLength = 0;
        /** True once the context was lost, also after it was restored: its objects are gone. */
        this.lost = gl.isContextLost();
        this.onLost = () => {
            this.lost = true;
        };
        gl.canvas.addEventListener('webglcontextlost', this.onLost);
    }

    /** Whether the context still has what was made in it. */
    get alive() {
        this.lost ||= this.gl.isContextLost();
        return !this.lost;
    }

    /** The number of an object; 0 for null. @param {object | null} object */
    name(object) {
        if (!object) return 0;
        let name = this.names.get(object);
        if (name === undefined) {
            name = this.unused.pop() ?? this.objects.length;
            this.objects[name] = object;
            this.names.set(object, name);
        }
        return name;
    }

    /** Forgets a number. @param {number} name */
    forget(name) {
        const object = this.objects[name];
        if (!object) return;
        this.names.delete(object);
        this.objects[name] = null;
        this.unused.push(name);
    }

    /** Forgets all objects, and frees the strings. */
    close() {
        this.gl.canvas.removeEventListener('webglcontextlost', this.onLost);
        for (const at of this.strings.values()) this.memory.free(at);
        this.strings.clear();
        this.objects = [null];
        this.names.clear();
    }
}

/**
 * The imports of the module. `current()` is the context of the device that is being called.
 * @param {Memory} memory
 * @param {() => Context} current
 * @returns {Record<string, (...numbers: any[]) => any>}
 */
export function glFunctions(memory, current) {
    const gl = () => current().gl;
    /** @param {number} name */
    const object = name => current().objects[name];
    /** @param {any} value */
    const number = value =>
        value !== null && typeof value === 'object' ? current().name(value) : Number(value);
    /** @param {(gl: WebGL2RenderingContext) => object | null} make */
    const generate = make => (/** @type {number} */ count, /** @type {number} */ at) => {
        for (let i = 0; i < count; i++) memory.i32[(at >> 2) + i] = current().name(make(gl()));
    };
    /** @param {(gl: WebGL2RenderingContext, object: any) => void} drop */
    const remove = drop => (/** @type {number} */ count, /** @type {number} */ at) => {
        for (let i = 0; i < count; i++) removeOne(drop, memory.i32[(at >> 2) + i]);
    };
    /** @param {(gl: WebGL2RenderingContext, object: any) => void} drop @param {number} name */
    const removeOne = (drop, name) => {
        if (!object(name)) return;
        drop(gl(), object(name));
        current().forget(name);
    };
    /** @param {string | null} text @param {number} size @param {number} length @param {number} at */
    const log = (text, size, length, at) => {
        const bytes = new TextEncoder().encode(text ?? '').slice(0, Math.max(size - 1, 0));
        if (size > 0) {
            memory.u8.set(bytes, at);
            memory.u8[at + bytes.length] = 0;
        }
        if (length) memory.i32[length >> 2] = bytes.length;
    };
    /** @param {number} at @param {number} width @param {number} height @param {number} format @param {number} type @param {number} stride */
    const texels = (at, width, height, format, type, stride) =>
        samples(memory.u8.buffer, type, at, ((stride || width) * (height - 1) + width) * SAMPLES[format]);
    /** @param {number} what */
    const string = what => {
        const secret = what === RENDERER && gl().getExtension('WEBGL_debug_renderer_info');
        if (secret) return gl().getParameter(secret.UNMASKED_RENDERER_WEBGL);
        if (what === VERSION) return `OpenGL ES 3.0 (${gl().getParameter(what)})`;
        if (what === EXTENSIONS)
            return (gl().getSupportedExtensions() ?? []).map(name => 'GL_' + name).join(' ');
        return gl().getParameter(what);
    };
    return {
        ActiveTexture: unit => gl().activeTexture(unit),
        AttachShader: (program, shader) => gl().attachShader(object(program), object(shader)),
        BindBuffer: (target, name) => gl().bindBuffer(target, object(name)),
        BindBufferBase: (target, index, name) => gl().bindBufferBase(target, index, object(name)),
        BindBufferRange: (target, index, name, at, size) =>
            gl().bindBufferRange(target, index, object(name), at, size),
        BindFramebuffer: (target, name) => gl().bindFramebuffer(target, object(name)),
        BindSampler: (unit, name) => gl().bindSampler(unit, object(name)),
        BindTexture: (target, name) => gl().bindTexture(target, object(name)),
        BindVertexArray: name => gl().bindVertexArray(object(name)),
        BufferData: (target, size, at, usage) =>
            at ? gl().bufferData(target, memory.u8, usage, at, size) : gl().bufferData(target, size, usage),
        CheckFramebufferStatus: target => gl().checkFramebufferStatus(target),
        ColorMask: (red, green, blue, alpha) => gl().colorMask(!!red, !!green, !!blue, !!alpha),
        CompileShader: shader => gl().compileShader(object(shader)),
        CreateProgram: () => current().name(gl().createProgram()),
        CreateShader: kind => current().name(gl().createShader(kind)),
        DeleteBuffers: remove((gl, name) => gl.deleteBuffer(name)),
        DeleteFramebuffers: remove((gl, name) => gl.deleteFramebuffer(name)),
        DeleteProgram: name => removeOne((gl, program) => gl.deleteProgram(program), name),
        DeleteSamplers: remove((gl, name) => gl.deleteSampler(name)),
        DeleteShader: name => removeOne((gl, shader) => gl.deleteShader(shader), name),
        DeleteTextures: remove((gl, name) => gl.deleteTexture(name)),
        DeleteVertexArrays: remove((gl, name) => gl.deleteVertexArray(name)),
        Disable: what => gl().disable(what),
        DrawArrays: (mode, first, count) => gl().drawArrays(mode, first, count),
        DrawBuffers: (count, at) => gl().drawBuffers([...memory.u32.subarray(at >> 2, (at >> 2) + count)]),
        Enable: what => gl().enable(what),
        Finish: () => gl().finish(),
        FramebufferTexture2D: (target, attachment, kind, name, level) =>
            gl().framebufferTexture2D(target, attachment, kind, object(name), level),
        FramebufferTextureLayer: (target, attachment, name, level, layer) =>
            gl().framebufferTextureLayer(target, attachment, object(name), level, layer),
        GenBuffers: generate(gl => gl.createBuffer()),
        GenFramebuffers: generate(gl => gl.createFramebuffer()),
        GenSamplers: generate(gl => gl.createSampler()),
        GenTextures: generate(gl => gl.createTexture()),
        GenVertexArrays: generate(gl => gl.createVertexArray()),
        GetBooleanv: (what, at) => {
            const value = gl().getParameter(what);
            memory.u8.set(Array.isArray(value) ? value.map(Number) : [Number(value)], at);
        },
        GetError: () => gl().getError(),
        GetInteger64i_v: (what, index, at) => {
            new DataView(memory.u8.buffer).setBigInt64(
                at,
                BigInt(number(gl().getIndexedParameter(what, index))),
                true,
            );
        },
        GetIntegeri_v: (what, index, at) => {
            memory.i32[at >> 2] = number(gl().getIndexedParameter(what, index));
        },
        GetIntegerv: (what, at) => {
            if (what === MAJOR_VERSION || what === MINOR_VERSION) {
                // OpenGL ES 3.0
                memory.i32[at >> 2] = what === MAJOR_VERSION ? 3 : 0;
                return;
            }
            const value = gl().getParameter(what);
            if (value?.length !== undefined) memory.i32.set(value, at >> 2);
            else memory.i32[at >> 2] = number(value);
        },
        GetProgramInfoLog: (program, size, length, at) =>
            log(gl().getProgramInfoLog(object(program)), size, length, at),
        GetProgramiv: (program, what, at) => {
            memory.i32[at >> 2] = Number(gl().getProgramParameter(object(program), what));
        },
        GetShaderInfoLog: (shader, size, length, at) =>
            log(gl().getShaderInfoLog(object(shader)), size, length, at),
        GetShaderiv: (shader, what, at) => {
            memory.i32[at >> 2] = Number(gl().getShaderParameter(object(shader), what));
        },
        GetString: what => {
            const known = current().strings.get(what);
            if (known) return known;
            const at = memory.text(String(string(what) ?? ''));
            current().strings.set(what, at);
            return at;
        },
        GetUniformBlockIndex: (program, at) => gl().getUniformBlockIndex(object(program), memory.read(at)),
        GetUniformLocation: (program, at) => {
            const location = gl().getUniformLocation(object(program), memory.read(at));
            return location ? current().locations.push(location) - 1 : -1;
        },
        IsEnabled: what => Number(gl().isEnabled(what)),
        IsTexture: name => Number(gl().isTexture(object(name) ?? null)),
        LinkProgram: program => gl().linkProgram(object(program)),
        PixelStorei: (what, value) => {
            if (what === UNPACK_ROW_LENGTH) current().unpackLength = value;
            if (what === PACK_ROW_LENGTH) current().packLength = value;
            gl().pixelStorei(what, value);
        },
        ReadPixels: (x, y, width, height, format, type, at) =>
            gl().readPixels(
                x,
                y,
                width,
                height,
                format,
                type,
                texels(at, width, height, format, type, current().packLength),
            ),
        SamplerParameteri: (sampler, what, value) => gl().samplerParameteri(object(sampler), what, value),
        ShaderSource: (shader, count, texts, lengths) => {
            let text = '';
            for (let i = 0; i < count; i++)
                text += memory.read(
                    memory.i32[(texts >> 2) + i],
                    lengths ? memory.i32[(lengths >> 2) + i] : -1,
                );
            gl().shaderSource(object(shader), text);
        },
        TexParameteri: (target, what, value) => gl().texParameteri(target, what, value),
        TexStorage3D: (target, levels, format, width, height, depth) =>
            gl().texStorage3D(target, levels, format, width, height, depth),
        TexSubImage3D: (target, level, x, y, z, width, height, depth, format, type, at) =>
            gl().texSubImage3D(
                target,
                level,
                x,
                y,
                z,
                width,
                height,
                depth,
                format,
                type,
                texels(at, width, height * depth, format, type, current().unpackLength),
            ),
        Uniform1f: (location, x) => gl().uniform1f(current().locations[location] ?? null, x),
        Uniform1i: (location, x) => gl().uniform1i(current().locations[location] ?? null, x),
        Uniform2f: (location, x, y) => gl().uniform2f(current().locations[location] ?? null, x, y),
        Uniform2i: (location, x, y) => gl().uniform2i(current().locations[location] ?? null, x, y),
        Uniform4i: (location, x, y, z, w) =>
            gl().uniform4i(current().locations[location] ?? null, x, y, z, w),
        UniformBlockBinding: (program, block, binding) =>
            gl().uniformBlockBinding(object(program), block, binding),
        UseProgram: program => gl().useProgram(object(program)),
        Viewport: (x, y, width, height) => gl().viewport(x, y, width, height),
    };
}
