// The text of the filter: completion from the catalogue, and sliders for the keys of the filter under
// the caret.

/**
 * The word that the caret is in: { part, of } with part 'name', 'key' or 'value', and where it begins and
 * ends.
 */
export function wordAt(text, caret) {
    let start = caret,
        end = caret;
    while (start > 0 && !':,='.includes(text[start - 1])) start--;
    while (end < text.length && !':,='.includes(text[end])) end++;
    const before = text[start - 1] ?? ',',
        filterStart = text.lastIndexOf(',', start - 1) + 1;
    const filter = text
        .slice(filterStart)
        .match(/^\s*([^:,]*)/)[1]
        .trim();
    const key = before === '=' ? text.slice(0, start - 1).match(/[^:,=]*$/)[0] : '';
    return {
        part: before === ',' ? 'name' : before === ':' ? 'key' : 'value',
        filter,
        key,
        start,
        end,
        typed: text.slice(start, caret).trim(),
    };
}

/** What may stand in the place of the word: [{ insert, title, about }]. */
export function completionsFor(catalogue, word) {
    const matches = (name, about) =>
        name.startsWith(word.typed) ||
        (word.typed.length > 2 && (name.includes(word.typed) || about.toLowerCase().includes(word.typed)));
    if (word.part === 'name')
        return catalogue
            .filter(entry => usable(entry) && matches(entry.name, entry.summary))
            .map(entry => ({ insert: entry.name, title: entry.name, about: entry.summary }));
    const entry = catalogue.find(each => each.name === word.filter);
    if (word.part === 'key')
        return (entry?.keys ?? [])
            .filter(key => matches(key.name, key.summary))
            .map(key => ({
                insert: `${key.name}=${key.default ?? ''}`,
                title: key.name,
                about: key.summary + (key.unit ? `, in ${key.unit}` : ''),
            }));
    return (entry?.keys.find(key => key.name === word.key)?.choices ?? [])
        .filter(choice => choice.startsWith(word.typed) && choice !== word.typed)
        .map(choice => ({ insert: choice, title: choice, about: '' }));
}

// A page has no files for a filter to name.
const usable = entry => !entry.keys.some(key => key.type === 'file' && key.default === null);

/** A text with one key of the filter that begins at `from` set to a value. */
export function withKey(text, from, name, value) {
    const end = text.indexOf(',', from) < 0 ? text.length : text.indexOf(',', from),
        part = text.slice(from, end);
    const found = part.match(new RegExp(`(:${name}=)[^:,]*`));
    const replaced = found
        ? part.replace(found[0], `:${name}=${value}`)
        : `${part.trimEnd()}:${name}=${value}`;
    return text.slice(0, from) + replaced + text.slice(end);
}

const LOGARITHMIC = 200; // a range this wide is shown on a logarithmic slider

// Sliders need ends: endless or very wide ranges show the part around the default that people use.
function rangeOf(key, value) {
    const about = Math.abs(Number.parseFloat(key.default ?? '')) || Math.abs(value) || 1;
    let low = key.min,
        high = key.max;
    if (key.unit === 'degrees') ((low = -180), (high = 180));
    else if (high > 40 * about) high = 25 * about;
    if (low < -40 * about) low = key.max <= 0 ? -25 * about : -high;
    const logarithmic =
        (low > 0 && high / low > LOGARITHMIC) || (low >= 0 && high >= 20 * about && key.type !== 'integer');
    return { low, high: Math.max(high, value), floor: Math.max(low, about / 40), logarithmic };
}

export class FilterField {
    #choice = -1;
    #list = [];
    #shown = '';

    /** change(text, done) is called as the text changes; done is false while a slider moves. */
    constructor({ input, list, keys, catalogue, change }) {
        this.input = input;
        this.list = list;
        this.keys = keys;
        this.catalogue = catalogue;
        this.change = change;
        input.addEventListener('input', () => (this.#complete(), this.#sliders(), change(input.value, true)));
        input.addEventListener('keydown', event => this.#press(event));
        input.addEventListener('click', () => this.#complete(!input.value));
        input.addEventListener('keyup', () => this.#sliders());
        input.addEventListener('blur', () => this.#close());
        list.addEventListener('pointerdown', event => {
            event.preventDefault(); // the field keeps the focus
            const item = event.target.closest('li');
            if (item) this.#take(Number(item.dataset.index));
        });
    }

    set text(text) {
        if (this.input.value !== text) this.input.value = text;
        this.#sliders();
    }

    // ---- Completion ----

    #complete(all = false) {
        const word = wordAt(this.input.value, this.input.selectionStart),
            done = word.part === 'name' && this.catalogue.some(entry => entry.name === word.typed);
        this.#list =
            word.typed || all || word.part === 'value' || word.part === 'key'
                ? done && !all
                    ? []
                    : completionsFor(this.catalogue, word)
                : [];
        this.#word = word;
        this.#choice = -1;
        this.list.replaceChildren(
            ...this.#list.map(({ title, about }, index) => {
                const item = document.createElement('li'),
                    note = document.createElement('small');
                Object.assign(item, { id: `completion-${index}`, role: 'option', textContent: title });
                item.dataset.index = String(index);
                note.textContent = about;
                item.append(note);
                return item;
            }),
        );
        this.#mark();
        this.list.hidden = !this.#list.length;
        this.input.setAttribute('aria-expanded', String(!this.list.hidden));
    }

    #word = null;

    #mark() {
        for (const [index, item] of [...this.list.children].entries())
            item.setAttribute('aria-selected', String(index === this.#choice));
        this.list.children[this.#choice]?.scrollIntoView({ block: 'nearest' });
        if (this.#choice >= 0) this.input.setAttribute('aria-activedescendant', `completion-${this.#choice}`);
        else this.input.removeAttribute('aria-activedescendant');
    }

    #close() {
        this.list.hidden = true;
        this.#choice = -1;
        this.input.setAttribute('aria-expanded', 'false');
        this.input.removeAttribute('aria-activedescendant');
    }

    #take(index) {
        const { value } = this.input,
            { start, end } = this.#word,
            { insert } = this.#list[index];
        this.input.setRangeText(insert, start, end, 'end');
        this.#close();
        this.#sliders();
        if (this.input.value !== value) this.change(this.input.value, true);
    }

    #press(event) {
        const open = !this.list.hidden,
            count = this.#list.length;
        if (event.key === 'ArrowDown' && !open) this.#complete(true);
        else if (event.key === 'ArrowDown' && open)
            ((this.#choice = (this.#choice + 1) % count), this.#mark());
        else if (event.key === 'ArrowUp' && open)
            ((this.#choice = (this.#choice + count - 1) % count), this.#mark());
        else if ((event.key === 'Enter' || event.key === 'Tab') && open && this.#choice >= 0)
            this.#take(this.#choice);
        else if (event.key === 'Escape' && open) this.#close();
        else return;
        event.preventDefault();
    }

    // ---- Sliders ----

    // The rows are made anew only where the filter under the caret is another; otherwise their values
    // follow.
    #sliders() {
        const { value: text } = this.input,
            caret = document.activeElement === this.input ? this.input.selectionStart : text.length;
        const from = text.lastIndexOf(',', caret - 1) + 1,
            part = text.slice(from).split(',')[0],
            name = part.split(':')[0].trim();
        const entry = this.catalogue.find(each => each.name === name);
        const values = Object.fromEntries(
            part
                .split(':')
                .slice(1)
                .map(each => each.split('=').map(word => word.trim())),
        );
        // Keys that follow another one, and lists, have a row once they are in the text.
        const keys = (entry?.keys ?? []).filter(
            key => key.type !== 'file' && (key.name in values || (!key.follows && key.type !== 'list')),
        );
        const shown = [name, from, ...keys.map(key => key.name)].join(' ');
        if (shown !== this.#shown) this.keys.replaceChildren(...keys.map(key => this.#row(key, from)));
        this.#shown = shown;
        for (const row of this.keys.children) row.follow(values[row.dataset.key]);
    }

    #row(key, from) {
        const row = document.createElement('label'),
            name = document.createElement('span');
        Object.assign(row, {
            className: key.choices.length ? 'keyed choice' : 'keyed',
            title: key.summary + (key.unit ? `, in ${key.unit}` : ''),
        });
        row.dataset.key = key.name;
        name.textContent = key.name;
        const put = (value, done) => {
            this.input.value = withKey(this.input.value, from, key.name, value);
            this.change(this.input.value, done);
        };
        row.append(
            name,
            ...(key.choices.length ? this.#choices(row, key, put) : this.#number(row, key, put)),
        );
        return row;
    }

    #choices(row, key, put) {
        const select = document.createElement('select');
        select.append(...key.choices.map(choice => new Option(choice, choice)));
        select.addEventListener('change', () => put(select.value, true));
        row.follow = value => (select.value = value ?? key.default ?? key.choices[0]);
        return [select];
    }

    #number(row, key, put) {
        const exact = document.createElement('input'),
            slider = document.createElement('input');
        Object.assign(exact, { type: 'text', inputMode: 'decimal' });
        exact.setAttribute('aria-label', `${key.name}, ${key.summary}`);
        exact.addEventListener('change', () => put(exact.value, true));
        if (key.type === 'list') {
            row.follow = value => (exact.value = value ?? key.default ?? '');
            return [exact];
        }
        Object.assign(slider, { type: 'range', min: 0, max: 1000, step: 1 });
        slider.setAttribute('aria-label', `${key.name}, ${key.summary}`);
        let range = rangeOf(key, 0);
        const toValue = t =>
            range.logarithmic
                ? t === 0
                    ? range.low
                    : range.floor * (range.high / range.floor) ** t
                : range.low + (range.high - range.low) * t;
        const toSlider = v =>
            range.logarithmic
                ? v <= range.floor
                    ? 0
                    : Math.log(v / range.floor) / Math.log(range.high / range.floor)
                : (v - range.low) / (range.high - range.low);
        const read = done => {
            const value = toValue(Number(slider.value) / 1000),
                text =
                    key.type === 'integer' ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
            exact.value = text;
            put(text, done);
        };
        slider.addEventListener('input', () => read(false));
        slider.addEventListener('change', () => read(true));
        row.follow = text => {
            const value = Number.parseFloat(text ?? key.default ?? '') || 0;
            range = rangeOf(key, value);
            if (document.activeElement !== exact) exact.value = text ?? key.default ?? '';
            if (document.activeElement !== slider) slider.value = String(1000 * toSlider(value));
            slider.setAttribute('aria-valuetext', exact.value + (key.unit ? ` ${key.unit}` : ''));
        };
        return [slider, exact];
    }
}
