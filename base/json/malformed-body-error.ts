/** A body that is not JSON or YAML at all. The message says what and where, in the words that clients know. */
export class MalformedBodyError extends Error {}
