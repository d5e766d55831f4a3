// Errors as exceptions.

/** What went wrong, as the library says it. */
export class AbbeError extends Error {
    /** @param {string} code "ABBE_ERR_SYNTAX", … @param {string} message */
    constructor(code, message) {
        super(message);
        this.name = 'AbbeError';
        this.code = code;
    }
}

/** @param {string} message @returns {never} */
export function invalid(message) {
    throw new AbbeError('ABBE_ERR_INVALID', message);
}
