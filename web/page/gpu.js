// The GPU of the worker: a WebGL 2 context that the library adopts, for as long as the browser lets it
// live.

export class Gpu {
    device = null;
    /** Why there is none, or what it is; a sentence. */
    reason = '';
    #abbe;
    #canvas = null;
    #forced;
    #loss = null;

    /** `forced` also takes drivers that compute on the CPU, for tests. */
    constructor(abbe, forced) {
        this.#abbe = abbe;
        this.#forced = forced;
        this.#adopt();
    }

    #adopt() {
        try {
            this.#canvas ??= new OffscreenCanvas(1, 1);
            const gl = this.#canvas.getContext('webgl2');
            if (!gl) return (this.reason = 'This browser has no WebGL 2, so the CPU does the work.');
            const device = this.#abbe.device(gl, { engine: 'fast', alone: true });
            if (device.software && !this.#forced) {
                device.dispose();
                gl.getExtension('WEBGL_lose_context')?.loseContext();
                return (this.reason = 'This browser draws without a GPU, so the CPU does the work.');
            }
            this.device = device;
            this.reason = 'The GPU does the work.';
            this.#canvas.addEventListener(
                'webglcontextlost',
                event => {
                    event.preventDefault(); // asks for it to be restored
                    this.drop('The GPU was taken away; the CPU goes on.');
                    this.#canvas.addEventListener('webglcontextrestored', () => this.#adopt(), {
                        once: true,
                    });
                },
                { once: true },
            );
        } catch (error) {
            this.reason = `The GPU cannot be used (${error.message}), so the CPU does the work.`;
        }
    }

    /** Called before the device goes: its plans go first. */
    leaving = () => {};

    drop(reason) {
        if (this.device) this.leaving();
        this.device?.dispose();
        this.device = null;
        this.reason = reason;
    }

    /** Takes the context away as a browser may, for tests; `back` gives it back. */
    lose(back) {
        const extension = (this.#loss ??= this.#canvas
            .getContext('webgl2')
            .getExtension('WEBGL_lose_context'));
        back ? extension.restoreContext() : extension.loseContext();
    }
}
