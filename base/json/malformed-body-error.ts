/**
 * The error about a body that is neither JSON nor YAML. The message names the mistake and its place in the form that
 * clients know.
 */
export class MalformedBodyError extends Error {}
