declare const means: unique symbol;

/** A JSON Schema as data. `T` is the type of a valid value; it exists for the compiler only. */
export interface Schema<T> {
  readonly [keyword: string]: unknown;
  readonly [means]?: T;
}

/** The type of the values that fit a schema. */
export type ValueOf<S> = S extends Schema<infer T> ? T : never;

type Fields = Readonly<Record<string, Schema<unknown>>>;

/** A field without a value, such as `users:` in YAML, counts as missing. */
type FieldsOf<R extends Fields, O extends Fields> = { readonly [K in keyof R]: ValueOf<R[K]> } & {
  readonly [K in keyof O]?: ValueOf<O[K]> | null;
};

/** A text, which may be empty. */
export function text(): Schema<string> {
  return { type: 'string' };
}

/**
 * A text that must match a pattern. `says` is the part of the message about any other text, such as `must not be
 * empty`.
 */
export function textLike(pattern: RegExp, says: string): Schema<string> {
  return { type: 'string', matches: { pattern: pattern.source, says } };
}

/** A text that is not empty. */
export function filledText(): Schema<string> {
  return textLike(/^(?!$)/, 'must not be empty');
}

/** One of some texts. */
export function oneOf<const T extends string>(...texts: readonly T[]): Schema<T> {
  return { type: 'string', enum: texts };
}

/** An integer, optionally with bounds (`least`, `most`). */
export function whole(least?: number, most?: number): Schema<number> {
  return {
    type: 'integer',
    ...(least === undefined ? {} : { minimum: least }),
    ...(most === undefined ? {} : { maximum: most }),
  };
}

/** `true` or `false`. */
export function truth(): Schema<boolean> {
  return { type: 'boolean' };
}

/** A list with at least `least` items. */
export function list<T>(items: Schema<T>, least = 0): Schema<readonly T[]> {
  return { type: 'array', items, ...(least === 0 ? {} : { minItems: least }) };
}

/** An object with keys of the operator's choice. */
export function map<T>(values: Schema<T>): Schema<Readonly<Record<string, T>>> {
  return { type: 'object', additionalProperties: values };
}

/** A value of another schema, or nothing. */
export function anything(): Schema<unknown> {
  return {};
}

/**
 * An object of these fields and no others.
 *
 * @param required fields that must have a value
 * @param optional fields that may be left out, or have no value
 * @example fields({ name: filledText() }, { path: text() }) // { name: 'a' } and { name: 'a', path: null } fit
 */
export function fields<R extends Fields, O extends Fields>(required: R, optional: O): Schema<FieldsOf<R, O>> {
  return {
    type: 'object',
    properties: {
      ...required,
      ...Object.fromEntries(Object.entries(optional).map(([name, schema]) => [name, orNothing(schema)])),
    },
    required: Object.keys(required),
    onlyKnown: true,
  };
}

/** An object that has exactly one of these fields, with or without a value. */
export function choice<O extends Fields>(optional: O): Schema<FieldsOf<Record<never, never>, O>> {
  return { ...fields({}, optional), exactlyOne: true };
}

/** An object with these fields, and with `kind` and `apiVersion`, which the reader of a file has already checked. */
export function versioned<R extends Fields, O extends Fields>(required: R, optional: O): Schema<FieldsOf<R, O>> {
  return fields(required, { ...optional, kind: text(), apiVersion: text() });
}

/**
 * A reference to a message of `proto/`; the generator replaces it by a schema.
 *
 * @param name with its package, such as `core.v1.Toleration`
 * @param rules what `proto/` does not say: schemas of values, or of the items of lists, by `MESSAGE.FIELD`
 */
export function message<T>(name: string, rules: Readonly<Record<string, Schema<string>>> = {}): Schema<T> {
  return { message: name, rules };
}

/** A schema that also accepts a field without a value. */
export function orNothing<T>(schema: Schema<T>): Schema<T | null> {
  if (schema['type'] === undefined) return schema;
  const values = schema['enum'] as readonly string[] | undefined;
  return {
    ...schema,
    type: [schema['type'], 'null'],
    ...(values === undefined ? {} : { enum: [...values, null] }),
  };
}
