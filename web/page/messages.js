// What the page tells, copies and gives away.

/** The element with an id. @returns {any} */
export const $ = (/** @type {string} */ id) => document.getElementById(id);

let toastEnds = 0;
export function say(text, seconds = 6) {
    $('alert').textContent = text;
    clearTimeout(toastEnds);
    toastEnds = setTimeout(() => ($('alert').textContent = ''), 1000 * seconds);
}

export const sentence = error =>
    /[.!?]$/.test(error.message)
        ? error.message
        : `${error.message[0].toUpperCase()}${error.message.slice(1)}.`;
export const fail = error => say(sentence(error), 9);

export async function copy(text, what) {
    try {
        await navigator.clipboard.writeText(text);
        say(`${what} is copied.`, 3);
    } catch {
        say(`This browser does not let pages copy. ${text}`, 30);
    }
}

export function download(blob, name) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
