// A pane shows a drawing in units of its own, such as pixels of a picture; it can be zoomed and moved by
// wheel, drag, pinch and keys. Panes may share a view, so that they move together.

/** What is visible: `scale` screen pixels per unit, 0 to fit all; (x, y) is the unit in the middle. */
export class View extends EventTarget {
    scale = 0;
    x = 0;
    y = 0;

    set(changes) {
        Object.assign(this, changes);
        this.dispatchEvent(new Event('change'));
    }
}

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

export class Pane {
    #pointers = new Map();
    #frame = 0;
    #tool = null;

    /**
     * size() gives the width and height in units; draw(context, place) draws, where place maps units to
     * pixels of the canvas. `tool` may take pointers: press(at, event) returns true where it does, then move,
     * release, cancel.
     */
    constructor(canvas, view, { size, draw, tool = null }) {
        this.canvas = canvas;
        this.view = view;
        this.size = size;
        this.draw = draw;
        this.#tool = tool;
        view.addEventListener('change', () => this.redraw());
        new ResizeObserver(() => this.redraw()).observe(canvas);
        for (const kind of ['pointerdown', 'pointermove', 'pointerup', 'pointercancel', 'pointerleave'])
            canvas.addEventListener(kind, event => this.#point(kind, event));
        canvas.addEventListener(
            'wheel',
            event => {
                event.preventDefault();
                this.zoom(
                    Math.exp(-clamp(event.deltaY, -120, 120) * (event.ctrlKey ? 0.01 : 0.002)),
                    event.offsetX,
                    event.offsetY,
                );
            },
            { passive: false },
        );
        canvas.addEventListener('keydown', event => this.#press(event));
    }

    /** Gives the pane another tool. */
    use(tool) {
        this.#tool = tool;
    }

    /** Where units lie on the canvas, in pixels of the page: x · scale + left. */
    place() {
        const { width, height } = this.size(),
            { clientWidth, clientHeight } = this.canvas;
        const fit = Math.min(clientWidth / width, clientHeight / height) || 1,
            scale = this.view.scale || fit;
        const x = this.view.scale ? this.view.x : width / 2,
            y = this.view.scale ? this.view.y : height / 2;
        const snap = at => Math.round(at * devicePixelRatio) / devicePixelRatio; // whole pixels stay sharp
        return {
            scale,
            fit,
            left: snap(clientWidth / 2 - x * scale),
            top: snap(clientHeight / 2 - y * scale),
        };
    }

    /** The unit under a point of the canvas. */
    unit(offsetX, offsetY) {
        const { scale, left, top } = this.place();
        return { x: (offsetX - left) / scale, y: (offsetY - top) / scale };
    }

    /** The visible part in units. */
    visible() {
        const { x: left, y: top } = this.unit(0, 0),
            { x: right, y: bottom } = this.unit(this.canvas.clientWidth, this.canvas.clientHeight);
        return { left, top, right, bottom };
    }

    zoom(factor, offsetX = this.canvas.clientWidth / 2, offsetY = this.canvas.clientHeight / 2) {
        const { scale, fit } = this.place(),
            at = this.unit(offsetX, offsetY),
            wanted = clamp(scale * factor, fit / 2, 64);
        this.view.set({
            scale: wanted,
            x: at.x - (offsetX - this.canvas.clientWidth / 2) / wanted,
            y: at.y - (offsetY - this.canvas.clientHeight / 2) / wanted,
        });
    }

    fit() {
        this.view.set({ scale: 0 });
    }

    /** One unit is one pixel of the screen. */
    whole() {
        const scale = 1 / devicePixelRatio;
        if (Math.abs(this.view.scale - scale) < 1e-6) return this.fit();
        const { width, height } = this.size(),
            at = this.view.scale ? this.view : { x: width / 2, y: height / 2 };
        this.view.set({ scale, x: at.x, y: at.y });
    }

    move(dx, dy) {
        const { scale } = this.place(),
            { width, height } = this.size();
        const at = this.view.scale ? this.view : { x: width / 2, y: height / 2 };
        this.view.set({
            scale,
            x: clamp(at.x - dx / scale, 0, width),
            y: clamp(at.y - dy / scale, 0, height),
        });
    }

    redraw() {
        this.#frame ||= requestAnimationFrame(() => {
            this.#frame = 0;
            const { canvas } = this,
                ratio = devicePixelRatio;
            const width = Math.round(canvas.clientWidth * ratio),
                height = Math.round(canvas.clientHeight * ratio);
            if (!width || !height) return;
            if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
            const context = canvas.getContext('2d'),
                place = this.place();
            context.setTransform(1, 0, 0, 1, 0, 0);
            context.clearRect(0, 0, width, height);
            context.setTransform(ratio, 0, 0, ratio, 0, 0);
            context.imageSmoothingEnabled = place.scale * ratio < 2;
            context.imageSmoothingQuality = 'high';
            this.draw(context, place);
        });
    }

    // ---- Pointers and keys ----

    #point(kind, event) {
        const at = { x: event.offsetX, y: event.offsetY };
        if (kind === 'pointerdown') {
            this.canvas.setPointerCapture(event.pointerId);
            this.#pointers.set(event.pointerId, at);
            if (this.#pointers.size > 1)
                // a second finger: it is a pinch, no stroke
                this.#tool?.cancel();
            this.painting =
                this.#pointers.size === 1 &&
                event.button === 0 &&
                !event.altKey &&
                !!this.#tool?.press(at, event);
        } else if (kind === 'pointermove') {
            const last = this.#pointers.get(event.pointerId);
            if (this.painting) {
                for (const each of event.getCoalescedEvents?.() ?? [])
                    this.#tool.move({ x: each.offsetX, y: each.offsetY }, true);
                this.#tool.move(at, false);
            } else if (last) {
                this.#gesture(event.pointerId, last, at);
            } else {
                this.#tool?.hover(at);
            }
            if (last) this.#pointers.set(event.pointerId, at);
        } else if (kind === 'pointerleave') {
            if (!this.painting) this.#tool?.hover(null);
        } else {
            this.#pointers.delete(event.pointerId);
            if (this.painting) this.#tool[kind === 'pointerup' ? 'release' : 'cancel'](at);
            this.painting = false;
        }
    }

    // One pointer moves the drawing; of two, the distance zooms as well.
    #gesture(id, last, at) {
        const [other] = [...this.#pointers].filter(([key]) => key !== id).map(([, point]) => point);
        if (!other) return this.move(at.x - last.x, at.y - last.y);
        const before = Math.hypot(last.x - other.x, last.y - other.y),
            after = Math.hypot(at.x - other.x, at.y - other.y);
        this.move((at.x - last.x) / 2, (at.y - last.y) / 2);
        if (before > 10) this.zoom(after / before, (at.x + other.x) / 2, (at.y + other.y) / 2);
    }

    #press(event) {
        if (event.ctrlKey || event.metaKey || event.altKey || this.#tool?.key(event)) return;
        const steps = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[
            event.key
        ];
        if (steps) this.move(...steps);
        else if (event.key === '+' || event.key === '=') this.zoom(1.25);
        else if (event.key === '-') this.zoom(0.8);
        else if (event.key === '0') this.fit();
        else if (event.key === '1') this.whole();
        else return;
        event.preventDefault();
    }
}
