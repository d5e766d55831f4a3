// The plan's explanation as bars: what each method would cost, what was chosen, and what it took.

/** A duration as one reads it. */
export const time = seconds =>
    seconds < 0.0995
        ? `${(1000 * seconds).toPrecision(2)} ms`
        : seconds < 1
          ? `${Math.round(1000 * seconds)} ms`
          : `${seconds.toPrecision(2)} s`;
const NAMES = { direct: 'tap by tap', separable: 'rows, columns', fft: 'Fourier plane', tiles: 'in tiles' };

/** rows: [{ name, seconds, kind }] where kind is 'chosen', 'measured' or ''. */
function bars(rows) {
    const list = document.createElement('dl'),
        most = Math.log(1 + 1e4 * Math.max(...rows.map(row => row.seconds)));
    list.className = 'bars';
    for (const { name, seconds, kind } of rows) {
        const row = document.createElement('div'),
            term = document.createElement('dt'),
            track = document.createElement('dd'),
            value = document.createElement('dd'),
            bar = document.createElement('i');
        row.className = kind;
        term.textContent = name;
        track.className = 'track';
        track.setAttribute('aria-hidden', 'true');
        bar.style.width = `${Math.max((100 * Math.log(1 + 1e4 * seconds)) / most, 2)}%`;
        track.append(bar);
        value.textContent = time(seconds);
        row.append(term, track, value);
        list.append(row);
    }
    return list;
}

/**
 * Shows the candidates of a plan, and the measured time of its run in milliseconds; `reason` tells why on
 * this device.
 */
export function showWhy(
    place,
    { candidates, running, planning, device, reason },
    { width, height },
    detail,
    measure,
) {
    const possible = candidates.filter(each => each.possible),
        chosen = candidates.find(each => each.chosen),
        note = document.createElement('p');
    note.className = 'help';
    const grid = chosen?.fft?.[0] ? `, transforms of ${chosen.fft[0]} × ${chosen.fft[1]}` : '';
    const where = `${width} × ${height} pixels on the ${device === 'gl' ? 'GPU' : detail}`;
    note.textContent = `${where}${grid}; planned in ${time(planning / 1000)}. ${reason}`;
    place.replaceChildren(
        bars([
            ...possible.map(each => ({
                name: each.even ? 'cosines' : (NAMES[each.method] ?? each.method),
                seconds: each.seconds,
                kind: each.chosen ? 'chosen' : '',
            })),
            { name: 'measured', seconds: running / 1000, kind: 'measured' },
        ]),
        note,
    );
    const button = document.createElement('button');
    button.className = 'wide';
    button.textContent = device === 'gl' ? 'Measure CPU against GPU' : 'Measure again';
    button.addEventListener('click', async () => {
        button.disabled = true;
        const devices = await measure();
        place.replaceChildren(
            bars(
                devices.flatMap(({ device: name, candidates: list, running: took }) => [
                    {
                        name: `${name === 'gl' ? 'GPU' : 'CPU'}, predicted`,
                        seconds: list.find(each => each.chosen).seconds,
                        kind: 'chosen',
                    },
                    {
                        name: `${name === 'gl' ? 'GPU' : 'CPU'}, measured`,
                        seconds: took / 1000,
                        kind: 'measured',
                    },
                ]),
            ),
            note,
        );
    });
    place.append(button);
}
