// What is painted on the spectrum: strokes are vectors, which mask.js renders into gains on any grid.
//
// Frequencies are { x, y } in cycles per pixel, −0.5 to 0.5, y downwards. Both points of a frequency, f and
// −f, are always painted alike. A stroke is immutable:
//   tool      'dots' (each point is a dot), 'brush' (through all points), 'line', 'ring', 'wedge', 'lasso'
//   action    'remove', 'keep', 'scale' (by `gain`), 'restore'
//   points    [x, y, x, y, …]
//   radius    in cycles per pixel; of rings, wedges and lassos the width of their edge
//   softness  the share of the radius over which the edge fades: 0 hard, 1 soft

export const TOOLS = ['dots', 'brush', 'line', 'ring', 'wedge', 'lasso'];
export const ACTIONS = ['remove', 'keep', 'scale', 'restore'];

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

/** Masks of larger pictures have half as many rows and columns, which the library interpolates. */
const WHOLE_MOST = 16e6;

/** The grid of the mask of a picture. */
export const gridFor = ({ width, height }) =>
    width * height > WHOLE_MOST ? maskGrid(width >> 1, height >> 1) : maskGrid(width, height);

/** The grid of a mask for abbe_filter_from_mask: zero frequency is at column width / 2, row height / 2. */
export const maskGrid = (width, height) => ({
    width,
    height,
    x: -Math.floor(width / 2) / width,
    y: -Math.floor(height / 2) / height,
    dx: 1 / width,
    dy: 1 / height,
});

/** Whether two strokes are the same, point for point. */
export const sameStroke = (a, b) =>
    a.tool === b.tool &&
    a.action === b.action &&
    a.gain === b.gain &&
    a.radius === b.radius &&
    a.softness === b.softness &&
    a.points.length === b.points.length &&
    a.points.every((x, i) => x === b.points[i]);

// ---- Shapes: the distance from a frequency to the stroke ----------------------------------------

function segmentDistance(x, y, ax, ay, bx, by) {
    const dx = bx - ax,
        dy = by - ay,
        square = dx * dx + dy * dy;
    const along = square > 0 ? clamp(((x - ax) * dx + (y - ay) * dy) / square, 0, 1) : 0;
    return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}

function ringDistance(p) {
    const a = Math.hypot(p[0], p[1]),
        b = Math.hypot(p[2], p[3]);
    const low = Math.min(a, b),
        high = Math.max(a, b);
    return (x, y) => {
        const at = Math.hypot(x, y);
        return Math.max(low - at, at - high, 0);
    };
}

// All directions between those of two points, from the nearer one outwards.
function wedgeDistance(p) {
    const start = Math.min(Math.hypot(p[0], p[1]), Math.hypot(p[2], p[3]));
    const first = Math.atan2(p[1], p[0]),
        second = Math.atan2(p[3], p[2]),
        turn = 2 * Math.PI;
    const opening = second - first - turn * Math.round((second - first) / turn);
    const middle = first + opening / 2;
    const ray = (direction, x, y) => {
        const along = x * Math.cos(direction) + y * Math.sin(direction);
        const across = y * Math.cos(direction) - x * Math.sin(direction);
        return along >= start ? Math.abs(across) : Math.hypot(start - along, across);
    };
    return (x, y) => {
        let away = Math.atan2(y, x) - middle;
        away -= turn * Math.round(away / turn);
        if (Math.abs(away) <= Math.abs(opening) / 2) return Math.max(start - Math.hypot(x, y), 0);
        return Math.min(ray(first, x, y), ray(second, x, y));
    };
}

function lassoDistance(p) {
    return (x, y) => {
        let inside = false,
            least = Infinity;
        for (let i = 0, j = p.length - 2; i < p.length; j = i, i += 2) {
            if (
                p[i + 1] > y !== p[j + 1] > y &&
                x < ((p[j] - p[i]) * (y - p[i + 1])) / (p[j + 1] - p[i + 1]) + p[i]
            )
                inside = !inside;
            least = Math.min(least, segmentDistance(x, y, p[i], p[i + 1], p[j], p[j + 1]));
        }
        return inside ? 0 : least;
    };
}

/** The parts of a stroke, each a distance function with the box that holds it. */
export function partsOf(stroke) {
    const p = stroke.points,
        parts = [],
        everywhere = { left: -1, top: -1, right: 1, bottom: 1 };
    const segment = (ax, ay, bx, by) =>
        parts.push({
            distance: (x, y) => segmentDistance(x, y, ax, ay, bx, by),
            left: Math.min(ax, bx),
            right: Math.max(ax, bx),
            top: Math.min(ay, by),
            bottom: Math.max(ay, by),
        });
    if (stroke.tool === 'ring' && p.length >= 4)
        parts.push({ distance: ringDistance(p), symmetric: true, ...everywhere });
    else if (stroke.tool === 'wedge' && p.length >= 4)
        parts.push({ distance: wedgeDistance(p), ...everywhere });
    else if (stroke.tool === 'lasso' && p.length >= 6) {
        const box = { left: 1, top: 1, right: -1, bottom: -1 };
        for (let i = 0; i < p.length; i += 2) {
            ((box.left = Math.min(box.left, p[i])), (box.right = Math.max(box.right, p[i])));
            ((box.top = Math.min(box.top, p[i + 1])), (box.bottom = Math.max(box.bottom, p[i + 1])));
        }
        parts.push({ distance: lassoDistance(p), ...box });
    } else if (stroke.tool === 'dots' || p.length === 2) {
        for (let i = 0; i < p.length; i += 2) segment(p[i], p[i + 1], p[i], p[i + 1]);
    } else if (stroke.tool === 'line' || stroke.tool === 'brush') {
        const step = stroke.tool === 'line' ? p.length - 2 : 2;
        for (let i = 0; i + step < p.length; i += step) segment(p[i], p[i + 1], p[i + step], p[i + step + 1]);
    }
    return parts;
}

// ---- Rendering ----------------------------------------------------------------------------------

// Where the plane ends, at −0.5, the frequency +0.5 is the same one: copies moved by a period reach it.
function copiesFor(grid) {
    const copies = [];
    for (const sign of [1, -1])
        for (const shiftX of Math.abs(grid.x + 0.5) < 1e-9 ? [0, -1] : [0])
            for (const shiftY of Math.abs(grid.y + 0.5) < 1e-9 ? [0, -1] : [0])
                copies.push({ sign, shiftX, shiftY });
    return copies;
}

const between = (low, high, first, step, count) => {
    const from = clamp(Math.ceil((low - first) / step), 0, count);
    return [from, clamp(Math.floor((high - first) / step) + 1, from, count)];
};

/**
 * Raises the share of each frequency that parts of a stroke cover, 0 to 1, and returns the rectangles that were
 * touched: one for each copy of the stroke.
 */
export function cover(stroke, parts, grid, share) {
    const element = Math.max(grid.dx, grid.dy),
        fade = stroke.softness * stroke.radius;
    const soft = fade > element,
        width = soft ? fade : element,
        outer = stroke.radius + (soft ? 0 : element / 2);
    const copies = copiesFor(grid),
        areas = copies.map(() => ({ left: grid.width, top: grid.height, right: 0, bottom: 0 }));
    for (const part of parts)
        for (const [copy, { sign, shiftX, shiftY }] of copies.entries()) {
            const area = areas[copy];
            if (part.symmetric && (sign < 0 || shiftX || shiftY)) continue;
            const ends = [sign * part.left + shiftX, sign * part.right + shiftX];
            const sides = [sign * part.top + shiftY, sign * part.bottom + shiftY];
            let [left, right] = between(
                Math.min(...ends) - outer,
                Math.max(...ends) + outer,
                grid.x,
                grid.dx,
                grid.width,
            );
            let [top, bottom] = between(
                Math.min(...sides) - outer,
                Math.max(...sides) + outer,
                grid.y,
                grid.dy,
                grid.height,
            );
            right = shiftX ? Math.min(right, 1) : right;
            bottom = shiftY ? Math.min(bottom, 1) : bottom;
            if (left >= right || top >= bottom) continue;
            ((area.left = Math.min(area.left, left)), (area.right = Math.max(area.right, right)));
            ((area.top = Math.min(area.top, top)), (area.bottom = Math.max(area.bottom, bottom)));
            for (let row = top; row < bottom; row++)
                for (let column = left; column < right; column++) {
                    const x = sign * (grid.x + column * grid.dx - shiftX),
                        y = sign * (grid.y + row * grid.dy - shiftY);
                    let s = clamp((outer - part.distance(x, y)) / width, 0, 1);
                    s = soft ? s * s * (3 - 2 * s) : s;
                    const at = row * grid.width + column;
                    if (s > share[at]) share[at] = s;
                }
        }
    return areas;
}

/** The frequencies of a peak and its harmonics below Nyquist, as the points of one stroke of dots. */
export function harmonics(x, y, most = 8) {
    const points = [];
    for (let n = 1; n <= most && Math.abs(n * x) <= 0.5 && Math.abs(n * y) <= 0.5; n++)
        points.push(n * x, n * y);
    return points;
}
