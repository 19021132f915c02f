// Characters with a meaning in YAML, as codes. The reader of plain documents compares codes.

export const TAB = 0x09;
export const LINE_END = 0x0a;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const HASH = 0x23;
export const APOSTROPHE = 0x27;
export const COMMA = 0x2c;
export const DASH = 0x2d;
export const COLON = 0x3a;
export const OPEN_LIST = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_LIST = 0x5d;
export const OPEN_MAP = 0x7b;
export const BAR = 0x7c;
export const CLOSE_MAP = 0x7d;
export const GREATER = 0x3e;

/** Characters that cannot begin a plain text. A dash can, if no blank follows it. */
export const NO_START = new Set([...'?:,[]{}#&*!|>\'"%@`'].map((mark) => mark.charCodeAt(0)));

/** Whether a character ends a plain text within brackets or braces. */
export function isFlowMark(code: number): boolean {
  return code === COMMA || code === OPEN_LIST || code === CLOSE_LIST || code === OPEN_MAP || code === CLOSE_MAP;
}
