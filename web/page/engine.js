// The page's side of a worker: tasks are promises, and of tasks that repeat only the latest one counts.

export class Engine {
    #worker;
    #waiting = new Map();
    #next = 1;
    #slots = new Map();

    constructor() {
        this.#worker = new Worker(new URL(`worker.js${location.search}`, import.meta.url), {
            type: 'module',
        });
        this.#worker.onmessage = ({ data: { id, answer, failure } }) => {
            const { resolve, reject } = this.#waiting.get(id);
            this.#waiting.delete(id);
            if (failure) reject(Object.assign(new Error(failure.message), { code: failure.code }));
            else resolve(answer);
        };
        this.#worker.onerror = event => {
            for (const { reject } of this.#waiting.values())
                reject(new Error(event.message || 'The page could not load its worker; reload it.'));
            this.#waiting.clear();
        };
    }

    do(task, details = {}, transfer = []) {
        const id = this.#next++;
        return new Promise((resolve, reject) => {
            this.#waiting.set(id, { resolve, reject });
            this.#worker.postMessage({ id, task, ...details }, transfer);
        });
    }

    /** Like do(), but a call replaces an earlier one that has not begun, whose promise becomes null. */
    async latest(task, details) {
        const slot = this.#slots.get(task);
        if (slot) {
            slot.pending?.resolve(null);
            return new Promise((resolve, reject) => (slot.pending = { details, resolve, reject }));
        }
        const busy = { pending: null };
        this.#slots.set(task, busy);
        try {
            return await this.do(task, details);
        } finally {
            this.#slots.delete(task);
            const pending = busy.pending;
            if (pending) this.latest(task, pending.details).then(pending.resolve, pending.reject);
        }
    }

    get idle() {
        return this.#waiting.size === 0;
    }
}
