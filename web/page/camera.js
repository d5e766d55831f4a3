// The camera: one frame after the other, each when the one before has been answered.

const REASONS = {
    NotAllowedError: 'the permission was not given',
    NotFoundError: 'there is none',
    NotReadableError: 'another program has it',
};

export class Camera {
    #stream;
    #video = document.createElement('video');

    /** Opens the camera. Throws an Error whose message is a sentence. */
    static async open() {
        const camera = new Camera();
        try {
            camera.#stream = await navigator.mediaDevices.getUserMedia({
                video: {
                    width: { ideal: 640 },
                    height: { ideal: 480 },
                    facingMode: { ideal: 'environment' },
                },
            });
        } catch (error) {
            throw new Error(`The camera cannot be used: ${REASONS[error.name] ?? error.message}.`);
        }
        Object.assign(camera.#video, { srcObject: camera.#stream, muted: true, playsInline: true });
        await camera.#video.play();
        return camera;
    }

    /** Calls take(bitmap) for frame after frame until the camera is closed. */
    async run(take) {
        while (this.#stream.active) {
            await new Promise(resolve => {
                if (this.#video.requestVideoFrameCallback) this.#video.requestVideoFrameCallback(resolve);
                else requestAnimationFrame(resolve);
            });
            if (this.#stream.active) await take(await createImageBitmap(this.#video));
        }
    }

    close() {
        for (const track of this.#stream.getTracks()) track.stop();
    }
}
