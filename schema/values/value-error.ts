/** A text that is no value of its type (a quantity, a time, ...). The message is what clients see, without a path. */
export class ValueError extends Error {}
