import { append } from '#base/collections/append.ts';
import { type FieldError, type FieldPath, forbiddenField } from '#base/errors/field-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import { jsonEqual } from '#base/json/json-equal.ts';
import { isObject, type JsonValue } from '#base/json/json-value.ts';
import { type Checks, CheckWork, OverWorkError } from '../schema/check-work.ts';
import {
  coerceEmbedded,
  EmbeddedObjectError,
  type ReadMetadata,
  validateEmbedded,
} from '../schema/embedded-objects.ts';
import { refusedValue } from '../schema/go-syntax.ts';
import { pruneObject, pruneValue } from '../schema/prune.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { validateValue } from '../schema/validate-value.ts';

/** Checks a default against the rules of its schema; `path` is the place of the default. */
export type CheckRules = (schema: StructuralSchema, value: JsonValue, path: FieldPath) => Checks<FieldError[]>;

/** The budget for the checks of all defaults of a schema, in steps. */
const DEFAULTS_WORK = 10_000_000;

/** The inputs for checks of defaults. */
interface DefaultChecks {
  readonly readMetadata: ReadMetadata;
  readonly checkRules: CheckRules;
  readonly work: CheckWork;
}

const META_FIELDS = new Set(['apiVersion', 'kind', 'metadata']);

/** Errors of the defaults in a schema: each must be a valid value at its place. */
export function* defaultErrors(
  root: StructuralSchema,
  path: FieldPath,
  readMetadata: ReadMetadata,
  checkRules: CheckRules,
): Checks<FieldError[]> {
  const errors: FieldError[] = [];
  const checks = { readMetadata, checkRules, work: new CheckWork(DEFAULTS_WORK) };
  const check = function* (
    schema: StructuralSchema,
    at: FieldPath,
    wrap: ((value: JsonValue) => JsonValue) | undefined,
  ): Checks<void> {
    if (!schema.holds.defaults) return;
    if (schema.hasDefault) {
      const isRoot = schema === root;
      const whole = isRoot ? { ...schema, embedded: true, holds: { ...schema.holds, embedded: true } } : schema;
      append(errors, yield* oneDefault(whole, at.child('default'), wrap, checks));
    }
    if (schema.items !== undefined) yield* check(schema.items, at.child('items'), wrap && ((value) => wrap([value])));
    for (const [name, property] of schema.properties) {
      const isResource = schema === root || schema.embedded;
      const inMeta = isResource && META_FIELDS.has(name);
      const around = inMeta
        ? (value: JsonValue): JsonValue => ({ apiVersion: 'v1', kind: 'Validation', [name]: value })
        : wrap && ((value: JsonValue): JsonValue => wrap({ [name]: value }));
      yield* check(property, at.child('properties').key(name), isResource && !inMeta ? undefined : around);
    }
  };
  try {
    yield* check(root, path, undefined);
  } catch (error) {
    if (!(error instanceof OverWorkError)) throw error;
    errors.push(forbiddenField(path, 'the checks of the defaults take more work than the server does for one schema'));
  }
  return errors;
}

/** `wrap` creates the object around a default inside metadata. */
function* oneDefault(
  schema: StructuralSchema,
  path: FieldPath,
  wrap: ((value: JsonValue) => JsonValue) | undefined,
  checks: DefaultChecks,
): Checks<FieldError[]> {
  const { readMetadata } = checks;
  const value = schema.default;
  if (wrap !== undefined) {
    const problem = yield* metadataProblem(wrap(cloneJson(value)), checks);
    if (problem !== undefined) return [refusedValue(path, value, `must result in valid metadata: ${problem}`)];
    return yield* valueErrors(schema, value, path, checks);
  }
  const errors: FieldError[] = [];
  const pruned = cloneJson(value);
  if (schema.embedded && isObject(pruned)) pruneObject(schema, pruned);
  else pruneValue(schema, pruned);
  if (!jsonEqual(pruned, value)) errors.push(refusedValue(path, value, 'must not have unknown fields'));
  try {
    // The definition keeps the canonical form too.
    coerceEmbedded(schema, value, readMetadata, path);
  } catch (error) {
    if (!(error instanceof EmbeddedObjectError)) throw error;
    return [...errors, error.error];
  }
  const embedded = yield* validateEmbedded(schema, value, checks.work, path);
  return [...errors, ...(embedded.length > 0 ? embedded : yield* valueErrors(schema, value, path, checks))];
}

function* valueErrors(
  schema: StructuralSchema,
  value: JsonValue,
  path: FieldPath,
  { checkRules, work }: DefaultChecks,
): Checks<FieldError[]> {
  // A value that may be an integer or a string may have any default, because only the check of objects looks at its
  // type.
  const limits = schema.intOrString ? { ...schema, types: [] } : schema;
  const errors = yield* validateValue(limits, value, work, { base: String(path) });
  return errors.length > 0 ? errors : yield* checkRules(schema, value, path);
}

/** Errors of an object that has only the given metadata. */
function* metadataProblem(object: JsonValue, { readMetadata, work }: DefaultChecks): Checks<string | undefined> {
  if (!isObject(object)) return 'must be an object';
  try {
    coerceEmbedded(ANY_OBJECT, object, readMetadata);
  } catch (error) {
    if (!(error instanceof EmbeddedObjectError)) throw error;
    return error.message;
  }
  const texts = (yield* validateEmbedded(ANY_OBJECT, object, work)).map(({ text }) => text);
  return texts.length > 1 ? `[${texts.join(', ')}]` : texts[0];
}

/** The schema of an object about which nothing else is known. */
const ANY_OBJECT: StructuralSchema = {
  types: ['object'],
  format: '',
  numberFormat: '',
  nullable: false,
  intOrString: false,
  preserve: true,
  embedded: true,
  properties: new Map(),
  additional: undefined,
  items: undefined,
  hasDefault: false,
  default: null,
  listType: 'atomic',
  listMapKeys: [],
  atomicMap: false,
  limits: undefined,
  rules: [],
  holds: { defaults: false, rules: false, embedded: true, keyedLists: false },
};
