import { append } from '#base/collections/append.ts';
import { type FieldError, type FieldPath, forbiddenField, invalidValue, required } from '#base/errors/field-error.ts';
import { jsonEqual } from '#base/json/json-equal.ts';
import type { TimeSlice } from '#base/time/time-slice.ts';
import type { JSONSchemaProps } from '#schema/generated/apiextensions.v1.ts';
import { patternSize } from '../../expressions/texts/pattern-size.ts';
import { patternProblem } from '../../expressions/texts/patterns.ts';
import { type Checks, yieldTurn } from '../schema/check-work.ts';
import { type ExtensionNames, KEYWORD_BITS, keywordBits } from '../schema/keyword-bits.ts';

type Level = 'root' | 'field' | 'items';

/** The largest number of parts of all patterns of a schema together. Each pattern counts once. */
const MOST_PARTS = 50_000;

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

/**
 * The reasons why a schema is not structural. In a structural schema the type of every value is given outside of
 * `allOf`, `anyOf`, `oneOf` and `not`, so that objects can be pruned and get defaults. The errors are sorted, and each
 * occurs once.
 */
export function* structuralErrors(
  schema: JSONSchemaProps,
  path: FieldPath,
  names: ExtensionNames,
  slice: TimeSlice,
): Checks<FieldError[]> {
  const walk = new StructuralWalk(names, slice);
  yield* walk.schema(schema, 'root', path);
  const errors = [...walk.errors, ...limitErrors(schema, schema, path, path)];
  return errors.sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0));
}

class StructuralWalk {
  readonly errors: FieldError[] = [];
  readonly #names: ExtensionNames;
  readonly #slice: TimeSlice;
  /** The pattern errors so far, and the total number of pattern parts. */
  readonly #patterns = new Map<string, string | undefined>();
  #parts = 0;
  #isOver = false;

  constructor(names: ExtensionNames, slice: TimeSlice) {
    this.#names = names;
    this.#slice = slice;
  }

  *schema(schema: JSONSchemaProps, level: Level, path: FieldPath): Checks<void> {
    if (this.#slice.over) yield* yieldTurn(this.#slice);
    const bits = keywordBits(schema);
    const { errors } = this;
    const { items, properties, additionalProperties } = schema;
    if (typeof items === 'object' && !Array.isArray(items)) yield* this.schema(items, 'items', path.child('items'));
    if (properties !== undefined) {
      const at = path.child('properties');
      for (const name of Object.keys(properties)) yield* this.schema(properties[name]!, 'field', at.key(name));
    }
    if (additionalProperties !== undefined) {
      const at = path.child('additionalProperties');
      if (level === 'root') errors.push(forbiddenField(at, 'must not be used at the root'));
      if (typeof additionalProperties === 'object') yield* this.schema(additionalProperties, 'field', at);
    }
    if ((bits & (KEYWORD_BITS.alternatives | KEYWORD_BITS.pattern)) !== 0)
      append(errors, yield* this.#limits(schema, path, true));
    if ((schema.type ?? '') === '' || level === 'root' || (bits & KEYWORD_BITS.extension) !== 0)
      append(errors, this.#typeErrors(schema, level, path));
    if (level === 'root' || (bits & KEYWORD_BITS.extension) !== 0)
      append(errors, this.#metaErrors(schema, level, path));
    if (schema.type === 'array' && items === undefined) errors.push(required(path.child('items'), 'must be specified'));
    if ((bits & KEYWORD_BITS.extension) !== 0) this.#extensions(schema, path);
  }

  #extensions(schema: JSONSchemaProps, path: FieldPath): void {
    const { errors } = this;
    const { additionalProperties, properties } = schema;
    const { embedded, intOrString, preserve } = this.#names;
    if (schema[intOrString] === true) {
      for (const extension of [preserve, embedded]) {
        if (schema[extension] !== true) continue;
        errors.push(invalidValue(path.child(extension), true, `must be false if ${intOrString} is true`));
      }
    }
    if (schema[embedded] !== true) return;
    if (additionalProperties !== undefined) {
      errors.push(forbiddenField(path.child('additionalProperties'), `must not be used if ${embedded} is set`));
    }
    if (schema[preserve] !== true && Object.keys(properties ?? {}).length === 0) {
      const detail = `must not be empty if ${embedded} is true without ${preserve}`;
      errors.push(required(path.child('properties'), detail));
    }
  }

  /**
   * Compiles each pattern once to check that it is valid. This takes some microseconds for each part of the pattern.
   */
  #patternErrors({ pattern = '' }: JSONSchemaProps, path: FieldPath): FieldError[] {
    if (pattern === '') return [];
    const at = path.child('pattern');
    if (!this.#patterns.has(pattern)) {
      this.#parts += patternSize(pattern);
      this.#patterns.set(pattern, this.#parts > MOST_PARTS ? undefined : patternProblem(pattern));
    }
    if (this.#parts > MOST_PARTS) {
      const isFirst = !this.#isOver;
      this.#isOver = true;
      return isFirst ? [forbiddenField(at, `the patterns of a schema have at most ${MOST_PARTS} parts together`)] : [];
    }
    const problem = this.#patterns.get(pattern);
    if (problem === undefined) return [];
    return [invalidValue(at, pattern, `must be a valid regular expression, but isn't: ${problem}`)];
  }

  #typeErrors(schema: JSONSchemaProps, level: Level, path: FieldPath): FieldError[] {
    const { type = '' } = schema;
    const at = path.child('type');
    const { embedded, intOrString, preserve } = this.#names;
    if (schema[embedded] === true && type !== 'object') {
      const detail = `must be object if ${embedded} is true`;
      return [type === '' ? required(at, detail) : invalidValue(at, type, detail)];
    }
    if (type === '') {
      if (schema[intOrString] === true) return [];
      if (schema[preserve] === true) return [];
      const where = { root: 'at the root', items: 'for specified array items', field: 'for specified object fields' };
      return [required(at, `must not be empty ${where[level]}`)];
    }
    return level === 'root' && type !== 'object' ? [invalidValue(at, type, 'must be object at the root')] : [];
  }

  /** Checks the members that every object has. They are known, so a schema may set only a few keywords for them. */
  #metaErrors(schema: JSONSchemaProps, level: Level, path: FieldPath): FieldError[] {
    if (level !== 'root' && schema[this.#names.embedded] !== true) return [];
    const errors: FieldError[] = [];
    const at = (name: string) => path.child('properties').key(name);
    const { properties = {} } = schema;
    for (const name of ['kind', 'apiVersion']) {
      if (!Object.hasOwn(properties, name) || properties[name]!.type === 'string') continue;
      errors.push(invalidValue(at(name).child('type'), properties[name]!.type ?? '', 'must be string'));
    }
    if (!Object.hasOwn(properties, 'metadata')) return errors;
    const metadata = properties.metadata!;
    if (metadata.type !== 'object') {
      errors.push(invalidValue(at('metadata').child('type'), metadata.type ?? '', 'must be object'));
    }
    if (level === 'root' && !hasOnlyNames(metadata)) {
      const detail = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
      errors.push(forbiddenField(at('metadata'), detail));
    }
    return errors;
  }

  /**
   * Checks the schemas of `allOf`, `anyOf`, `oneOf` and `not`, which may only restrict values. The one exception is
   * that a value may be an integer or a text.
   */
  *#limits(schema: JSONSchemaProps, path: FieldPath, mayPair: boolean): Checks<FieldError[]> {
    const { allOf = [], anyOf = [], oneOf = [], not } = schema;
    const isPair = (schemas: readonly JSONSchemaProps[]) => mayPair && jsonEqual(schemas, INT_OR_STRING);
    const skipAny = isPair(anyOf);
    const errors: FieldError[] = [];
    for (const [i, each] of allOf.entries()) {
      const paired = i === 0 && !skipAny && isPair(each.anyOf ?? []);
      append(errors, yield* this.#nested(paired ? { ...each, anyOf: [] } : each, path.child('allOf').index(i)));
    }
    for (const [name, schemas] of Object.entries({ anyOf: skipAny ? [] : anyOf, oneOf })) {
      for (const [i, each] of schemas.entries()) {
        append(errors, yield* this.#nested(each, path.child(name).index(i)));
      }
    }
    if (not !== undefined) append(errors, yield* this.#nested(not, path.child('not')));
    append(errors, this.#patternErrors(schema, path));
    return errors;
  }

  *#nested(schema: JSONSchemaProps, path: FieldPath): Checks<FieldError[]> {
    if (this.#slice.over) yield* yieldTurn(this.#slice);
    const { items, properties = {} } = schema;
    const errors = yield* this.#limits(schema, path, false);
    if (typeof items === 'object' && !Array.isArray(items))
      append(errors, yield* this.#nested(items, path.child('items')));
    for (const [name, property] of Object.entries(properties)) {
      append(errors, yield* this.#nested(property, path.child('properties').key(name)));
    }
    const forbid = (keyword: string, must: string) =>
      void errors.push(forbiddenField(path.child(keyword), `must be ${must} to be structural`));
    const { embedded, intOrString, listMapKeys, listType, mapType, preserve, validations } = this.#names;
    if ((schema.type ?? '') !== '') forbid('type', 'empty');
    if (schema.additionalProperties !== undefined) forbid('additionalProperties', 'undefined');
    if (schema.default !== undefined && schema.default !== null) forbid('default', 'undefined');
    if ((schema.title ?? '') !== '') forbid('title', 'empty');
    if ((schema.description ?? '') !== '') forbid('description', 'empty');
    if (schema.nullable === true) forbid('nullable', 'false');
    for (const name of [preserve, embedded, intOrString]) if (schema[name] === true) forbid(name, 'false');
    for (const name of [listMapKeys, validations]) {
      if (((schema[name] as unknown[] | undefined) ?? []).length > 0) forbid(name, 'empty');
    }
    for (const name of [listType, mapType]) if (schema[name] !== undefined) forbid(name, 'undefined');
    if (Object.hasOwn(properties, 'metadata')) {
      const at = path.child('properties').key('metadata');
      errors.push(forbiddenField(at, 'must not be specified in a nested context'));
    }
    return errors;
  }
}

/**
 * Checks that every value which the schemas of `allOf`, `anyOf`, `oneOf` and `not` restrict is in the schema itself.
 * `limits` is the restricting schema, `schema` is the schema itself, and `from` is the path of `limits`.
 */
function limitErrors(limits: JSONSchemaProps, schema: JSONSchemaProps, path: FieldPath, from: FieldPath): FieldError[] {
  const { not, allOf = [], anyOf = [], oneOf = [] } = limits;
  const nested = [
    ...(not === undefined ? [] : [[not, from.child('not')] as const]),
    ...Object.entries({ allOf, anyOf, oneOf }).flatMap(([name, schemas]) =>
      schemas.map((each, i) => [each, from.child(name).index(i)] as const),
    ),
  ];
  return nested.flatMap(([each, at]) => [
    ...limitErrors(each, schema, path, at),
    ...missingParts(each, schema, path, at),
  ]);
}

function missingParts(
  { items, properties = {} }: JSONSchemaProps,
  schema: JSONSchemaProps,
  path: FieldPath,
  from: FieldPath,
): FieldError[] {
  const part = (limits: JSONSchemaProps, found: JSONSchemaProps | undefined, at: FieldPath, there: FieldPath) =>
    found === undefined
      ? [required(at, `because it is defined in ${there}`)]
      : [...limitErrors(limits, found, at, there), ...missingParts(limits, found, at, there)];
  const single = (value: JSONSchemaProps['items']) =>
    typeof value === 'object' && !Array.isArray(value) ? value : undefined;
  const own = schema.properties ?? {};
  const limited = single(items);
  return [
    ...(limited === undefined ? [] : part(limited, single(schema.items), path.child('items'), from.child('items'))),
    ...Object.entries(properties).flatMap(([name, limits]) =>
      part(
        limits,
        Object.hasOwn(own, name) ? own[name] : undefined,
        path.child('properties').key(name),
        from.child('properties').key(name),
      ),
    ),
  ];
}

/** Keywords of metadata that have no effect. */
const UNHEEDED: ReadonlySet<string> = new Set(['type', 'default', 'properties', 'externalDocs', 'example']);

/** Whether the schema of metadata restricts only names. */
function hasOnlyNames(metadata: JSONSchemaProps): boolean {
  if (Object.keys(metadata).some((keyword) => !UNHEEDED.has(keyword) && metadata[keyword] !== '')) return false;
  return Object.keys(metadata.properties ?? {}).every((name) => name === 'name' || name === 'generateName');
}
