/** Any JSON value. A number is a {@link JsonNumber} if a double cannot represent it or if its spelling matters. */
export type JsonValue = null | boolean | number | string | JsonNumber | JsonValue[] | JsonObject;

/** A JSON object with string keys. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/**
 * A JSON number that keeps its text: an integer beyond 2^53, or a spelling such as `1e2` or `3.0`. All other numbers
 * are plain numbers. `JSON.stringify` throws for this class, so that a writer that would round the number is noticed
 * (use `stringify`, which writes the text).
 */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The nearest double, for comparisons. */
  valueOf(): number {
    return Number(this.text);
  }

  toString(): string {
    return this.text;
  }

  toJSON(): never {
    throw new InexactNumberError();
  }
}

/** Thrown by `JSON.stringify` when it meets a {@link JsonNumber}. */
export class InexactNumberError extends Error {
  constructor() {
    super('a JSON number would lose digits');
  }
}

/** Whether a value is a JSON object: not null, not a list, not a number kept as text. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
}
