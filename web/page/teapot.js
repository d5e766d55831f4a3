// The teapot as a source: frames come from a worker that is loaded with it.

const WIDTH = 640,
    HEIGHT = 480,
    TURN = 20; // degrees a second

export class Teapot {
    #worker = new Worker(new URL('teapot-worker.js', import.meta.url), { type: 'module' });
    #closed = false;
    #angle = -30;
    #elevation = 20;
    #held = matchMedia('(prefers-reduced-motion: reduce)').matches;

    /** Loads the scene. Throws an Error whose message is a sentence. */
    static async open() {
        const teapot = new Teapot();
        try {
            await teapot.#ask({ width: 0 });
        } catch (error) {
            teapot.close();
            throw new Error(`The teapot cannot be drawn: ${error.message}.`);
        }
        return teapot;
    }

    #ask(question) {
        return new Promise((resolve, reject) => {
            this.#worker.onmessage = ({ data }) =>
                data.problem ? reject(new Error(data.problem)) : resolve(data.bitmap);
            this.#worker.onerror = event =>
                reject(new Error(event.message || 'its file is not there without the network'));
            this.#worker.postMessage(question);
        });
    }

    /** Turns it by pixels of a drag; from then on it stays as it is held. */
    turn(dx, dy) {
        this.#held = true;
        this.#angle += dx / 2;
        this.#elevation = Math.min(Math.max(this.#elevation + dy / 3, 0), 90);
    }

    /** Calls take(bitmap) for frame after frame until the teapot is closed. */
    async run(take) {
        let last = performance.now();
        while (!this.#closed) {
            await new Promise(requestAnimationFrame);
            const now = performance.now();
            if (!this.#held) this.#angle += (TURN * Math.min(now - last, 200)) / 1000;
            last = now;
            const bitmap = await this.#ask({
                width: WIDTH,
                height: HEIGHT,
                angle: this.#angle % 360,
                elevation: this.#elevation,
            });
            if (!this.#closed) await take(bitmap);
        }
    }

    close() {
        this.#closed = true;
        this.#worker.terminate();
    }
}
