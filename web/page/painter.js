// The tool of the spectrum's pane: pointers and keys become strokes.
import { harmonics } from './strokes.js';

const SNAP = 18,
    MARKS = 16; // pixels of the screen from a peak; peaks that are marked

/**
 * settings() gives { tool, action, gain, radius, softness }; peaks() the list of the picture; begin(stroke)
 * shows an unfinished stroke, end(stroke) adds it, null drops it; redraw() draws the cursor again.
 */
export class Painter {
    cursor = null; // a frequency
    stroke = null;

    constructor({ settings, peaks, begin, end, redraw }) {
        this.settings = settings;
        this.peaks = peaks;
        this.begin = begin;
        this.end = end;
        this.redraw = redraw;
    }

    attach(pane) {
        this.pane = pane;
    }

    frequency(at) {
        const unit = this.pane.unit(at.x, at.y),
            { width } = this.pane.size(),
            clip = x => Math.min(Math.max(x, -0.5), 0.5);
        return { x: clip(unit.x / width - 0.5), y: clip(unit.y / width - 0.5) };
    }

    // ---- Strokes ----

    press(at, event) {
        if (event.button) return false;
        const f = this.frequency(at);
        this.cursor = f;
        if (this.settings().tool === 'dots') return (this.#dot(f), true);
        this.#start(f);
        return true;
    }

    #start(f) {
        const { tool, action, gain, radius, softness } = this.settings();
        this.stroke = {
            tool,
            action,
            gain: action === 'scale' ? gain : 1,
            radius,
            softness,
            points: [f.x, f.y],
        };
        this.begin(this.stroke);
    }

    move(at, between) {
        this.cursor = this.frequency(at);
        this.#extend(this.cursor);
        if (!between) this.stroke ? this.begin(this.stroke) : this.redraw();
    }

    // Freehand strokes take every point that is worth it; the others have two.
    #extend(f) {
        if (!this.stroke) return;
        const { tool, points, radius } = this.stroke,
            last = points.slice(-2);
        const freehand = tool === 'brush' || tool === 'lasso',
            least = tool === 'lasso' ? 0.004 : Math.max(radius / 6, 0.0005);
        if (!freehand) this.stroke = { ...this.stroke, points: [points[0], points[1], f.x, f.y] };
        else if (Math.hypot(f.x - last[0], f.y - last[1]) >= least)
            this.stroke = { ...this.stroke, points: [...points, f.x, f.y] };
    }

    release() {
        const stroke = this.stroke;
        this.stroke = null;
        if (!stroke) return;
        const least = { ring: 4, wedge: 4, lasso: 6 }[stroke.tool] ?? 2;
        this.end(stroke.points.length >= least ? stroke : null);
    }

    cancel() {
        if (this.stroke) this.end((this.stroke = null));
    }

    hover(at) {
        this.cursor = at && this.frequency(at);
        this.redraw();
    }

    // ---- Dots ----

    /** The peak of the picture near a frequency, or at its opposite; null where there is none. */
    peakAt(f) {
        const reach = SNAP / (this.pane.place().scale * this.pane.size().width),
            away = peak =>
                Math.min(
                    Math.hypot(peak.x / 2 - f.x, peak.y / 2 - f.y),
                    Math.hypot(peak.x / 2 + f.x, peak.y / 2 + f.y),
                );
        return (
            this.peaks()
                .filter(peak => away(peak) < reach)
                .sort((a, b) => away(a) - away(b))[0] ?? null
        );
    }

    // A click at a peak takes its harmonics along; elsewhere the multiples of the frequency are taken for
    // them.
    #dot(f) {
        const { action, gain, radius, softness } = this.settings(),
            peak = this.peakAt(f),
            made = { tool: 'dots', action, gain: action === 'scale' ? gain : 1 };
        if (peak) this.end({ ...made, ...this.family(peak.fundamental) });
        else
            this.end({
                ...made,
                radius,
                softness,
                points: action === 'remove' ? harmonics(f.x, f.y) : [f.x, f.y],
            });
    }

    /** The dots of a fundamental and its harmonics; peaks count in fractions of Nyquist. */
    family(fundamental) {
        const members = this.peaks().filter(peak => peak.fundamental === fundamental);
        return {
            radius: (Math.max(...members.map(peak => peak.radius)) / 2) * 1.25,
            softness: 0.6,
            points: members.flatMap(peak => [peak.x / 2, peak.y / 2]),
        };
    }

    /** One stroke for each fundamental: all that repeats is removed. */
    everything() {
        return [...new Set(this.peaks().map(peak => peak.fundamental))].map(fundamental => ({
            tool: 'dots',
            action: 'remove',
            gain: 1,
            ...this.family(fundamental),
        }));
    }

    // ---- Keys: the arrows move a cursor, Enter presses and releases ----

    key(event) {
        const step = (event.shiftKey ? 40 : 8) / (this.pane.place().scale * this.pane.size().width);
        const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[
            event.key
        ] ?? [0, 0];
        if (dx || dy) {
            const clip = x => Math.min(Math.max(x, -0.5), 0.5),
                { x, y } = this.cursor ?? { x: 0, y: 0 };
            this.cursor = { x: clip(x + dx * step), y: clip(y + dy * step) };
            this.#extend(this.cursor);
            this.stroke ? this.begin(this.stroke) : this.redraw();
        } else if (event.key === 'Enter' || event.key === ' ') {
            this.cursor ??= { x: 0, y: 0 };
            if (this.stroke) this.release();
            else if (this.settings().tool === 'dots') this.#dot(this.cursor);
            else this.#start(this.cursor);
        } else if (event.key === 'Escape' && this.stroke) {
            this.cancel();
        } else {
            return false;
        }
        event.preventDefault();
        return true;
    }

    // ---- The cursor and the marks of peaks ----

    draw(context, { scale, left, top }, side) {
        const at = (x, y) => [left + (x + 0.5) * side * scale, top + (y + 0.5) * side * scale];
        const circle = (x, y, radius, colour, width) => {
            context.beginPath();
            context.arc(...at(x, y), radius, 0, 2 * Math.PI);
            context.strokeStyle = colour;
            context.lineWidth = width;
            context.stroke();
        };
        const { tool, radius } = this.settings(),
            { cursor } = this;
        if (tool === 'dots')
            for (const peak of this.peaks().slice(0, MARKS))
                for (const sign of [1, -1])
                    circle((sign * peak.x) / 2, (sign * peak.y) / 2, 8, '#f0b45acc', 1.3);
        if (!cursor) return;
        const peak = tool === 'dots' && !this.stroke ? this.peakAt(cursor) : null;
        const marks = peak ? this.family(peak.fundamental).points : [cursor.x, cursor.y];
        for (let i = 0; i < marks.length; i += 2)
            for (const sign of [1, -1]) {
                const pixels = peak
                    ? Math.max((peak.radius / 2) * side * scale, 7) + 2
                    : Math.max(radius * side * scale, 3);
                circle(sign * marks[i], sign * marks[i + 1], pixels, '#0009', 3);
                circle(
                    sign * marks[i],
                    sign * marks[i + 1],
                    pixels,
                    peak ? '#ffd489' : '#ffffff',
                    peak ? 2.5 : 1.3,
                );
            }
    }
}
