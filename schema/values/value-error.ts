/**
 * The error for a text that is not a value of its type (a quantity, a time, ...). Clients see the message, which has no
 * path.
 */
export class ValueError extends Error {}
