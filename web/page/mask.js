// The gains of strokes on a grid, kept up to date: of a stroke that grows, only what is new is painted.
import { cover, partsOf, sameStroke } from './strokes.js';

const isEmpty = area => !area || area.left >= area.right || area.top >= area.bottom;

function boxOf(a, b) {
    if (isEmpty(a)) return b;
    if (isEmpty(b)) return a;
    return {
        left: Math.min(a.left, b.left),
        top: Math.min(a.top, b.top),
        right: Math.max(a.right, b.right),
        bottom: Math.max(a.bottom, b.bottom),
    };
}

// Regions are lists of rectangles: one at each of the two points of a frequency, and what meets the edge.
const united = (a, b) => (a.length > b.length ? a : b).map((_, i) => boxOf(a[i], b[i]));

// What a stroke makes of a gain where it covers a share of the element.
const ACTS = {
    remove: (gain, share) => gain * (1 - share),
    scale: (gain, share, by) => gain * (1 + (by - 1) * share),
    restore: (gain, share) => gain + (1 - gain) * share,
    keep: gain => gain,
};

/**
 * Strokes act one after the other. Where any stroke keeps, what no stroke keeps is removed.
 *
 * All strokes but the last are in `#gains` and `#kept`; `#share` is what the last one covers, within `#region`.
 */
export class Mask {
    /** values[y · width + x] is the gain of the frequency (grid.x + x · grid.dx, grid.y + y · grid.dy). */
    values;
    #grid;
    #gains;
    #kept = null;
    #share;
    #done = [];
    #last = null;
    #region = [];

    constructor(grid) {
        const count = grid.width * grid.height;
        this.#grid = grid;
        this.values = new Float32Array(count).fill(1);
        this.#gains = new Float32Array(count).fill(1);
        this.#share = new Float32Array(count);
    }

    get grid() {
        return this.#grid;
    }

    /** Brings the values up to date, and returns the rectangles in which they may have changed. */
    follow(strokes, keepsMean) {
        let region = [];
        if (!this.#begins(strokes)) {
            this.#restart(strokes);
            region = [{ left: 0, top: 0, right: this.#grid.width, bottom: this.#grid.height }];
        }
        for (let i = this.#done.length; i < strokes.length; i++) {
            region = united(region, this.#lay(strokes[i]));
            if (i + 1 < strokes.length) this.#commit();
        }
        if (strokes.length === this.#done.length) region = united(region, this.#drop());
        this.#compute(region);
        return [...region, this.#setMean(keepsMean)].filter(area => !isEmpty(area));
    }

    /** The values of a rectangle. */
    part({ left, top, right, bottom }) {
        const width = right - left,
            values = new Float32Array(width * (bottom - top));
        for (let y = top, at = 0; y < bottom; y++, at += width) {
            const from = y * this.#grid.width + left;
            values.set(this.values.subarray(from, from + width), at);
        }
        return { width, height: bottom - top, values };
    }

    // Whether all finished strokes are the first ones of a list.
    #begins(strokes) {
        return (
            strokes.length >= this.#done.length &&
            strokes.some(stroke => stroke.action === 'keep') === (this.#kept !== null) &&
            this.#done.every((stroke, i) => sameStroke(stroke, strokes[i]))
        );
    }

    #restart(strokes) {
        this.#gains.fill(1);
        this.#share.fill(0);
        this.#kept = strokes.some(stroke => stroke.action === 'keep')
            ? new Float32Array(this.#gains.length)
            : null;
        this.#done = [];
        this.#last = null;
        this.#region = [];
    }

    // Takes the last stroke away.
    #drop() {
        const region = this.#region;
        this.#each(region, i => (this.#share[i] = 0));
        this.#last = null;
        this.#region = [];
        return region;
    }

    // Puts a stroke in the place of the last one. A brush that went on adds its new parts only.
    #lay(stroke) {
        if (this.#last && sameStroke(this.#last, stroke)) return [];
        const before = this.#last?.points.length ?? 0;
        const grows =
            before > 2 &&
            stroke.tool === 'brush' &&
            sameStroke(this.#last, { ...stroke, points: stroke.points.slice(0, before) });
        const dropped = grows ? [] : this.#drop(),
            parts = partsOf(stroke).slice(grows ? before / 2 - 1 : 0),
            covered = cover(stroke, parts, this.#grid, this.#share);
        this.#last = stroke;
        this.#region = united(this.#region, covered);
        return united(dropped, covered);
    }

    // The last stroke becomes one of those that are finished.
    #commit() {
        this.#each(this.#region, i => {
            const share = this.#share[i];
            if (share === 0) return;
            this.#gains[i] = this.#acted(i, share);
            if (this.#kept) this.#kept[i] = this.#keeps(i, share);
            this.#share[i] = 0;
        });
        this.#done.push(this.#last);
        this.#last = null;
        this.#region = [];
    }

    #acted(i, share) {
        const { action, gain } = this.#last;
        return Math.fround(ACTS[action](this.#gains[i], share, gain)); // as it will be kept
    }

    #keeps(i, share) {
        const { action } = this.#last;
        return action === 'keep' || action === 'restore' ? Math.max(this.#kept[i], share) : this.#kept[i];
    }

    #compute(region) {
        this.#each(region, i => {
            const share = this.#share[i],
                gain = share ? this.#acted(i, share) : this.#gains[i];
            this.values[i] = this.#kept ? gain * (share ? this.#keeps(i, share) : this.#kept[i]) : gain;
        });
    }

    #each(region, call) {
        const { width } = this.#grid;
        for (const { left, top, right, bottom } of region)
            for (let y = top; y < bottom; y++)
                for (let i = y * width + left, end = y * width + right; i < end; i++) call(i);
    }

    // The gain at zero frequency alone decides about the mean brightness.
    #setMean(keepsMean) {
        const { width, height, x, y, dx, dy } = this.#grid,
            left = Math.round(-x / dx),
            top = Math.round(-y / dy);
        if (left < 0 || left >= width || top < 0 || top >= height) return null;
        const i = top * width + left,
            before = this.values[i],
            area = { left, top, right: left + 1, bottom: top + 1 };
        if (keepsMean) this.values[i] = 1;
        else this.#compute([area]);
        return this.values[i] === before ? null : area;
    }
}

/** The gains of strokes on a grid; see Mask. */
export function paint(strokes, grid, keepsMean = false) {
    const mask = new Mask(grid);
    mask.follow(strokes, keepsMean);
    return mask.values;
}
