import { append } from '#base/collections/append.ts';
import { type FieldError, fieldError } from '#base/errors/field-error.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import type { Release } from '#base/release/release.ts';
import { sameValue } from '#schema/apply/value.ts';
import { validateRules } from '../cel/validate-rules.ts';
import { type Checks, CheckWork, OverWorkError } from '../schema/check-work.ts';
import { validateEmbedded } from '../schema/embedded-objects.ts';
import { validateListItems } from '../schema/list-items.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { validateValue } from '../schema/validate-value.ts';
import { type ValueTexts, valueTexts } from '../schema/value-texts.ts';

/**
 * The largest work that the schema of a kind may cause for one object, except for the rules of the schema, in steps. It
 * is about half a second of processor time.
 */
const OBJECT_WORK = 20_000_000;

/** Errors after which rules do not run, because their assumptions may not hold. */
const BLOCKING: ReadonlySet<FieldError['type']> = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** How a release checks objects. */
export interface ObjectForms {
  /** Whether unchanged values may stay invalid. */
  readonly ratchets?: boolean;
  /**
   * Whether errors of rules show single values. With this, they show nothing of objects and lists. Without it, they
   * show the type.
   */
  readonly showsValues?: boolean;
  /** The texts of errors. By default they are those of the first release. */
  readonly texts?: ValueTexts;
}

/** How a given release checks objects. */
export function objectForms(release: Release): ObjectForms {
  return { ratchets: release.atLeast(30), showsValues: release.atLeast(35), texts: valueTexts(release) };
}

/**
 * The errors of an object by the schema of its kind, including the rules of the schema. A schema that causes more work
 * than {@link OBJECT_WORK} is an error too. If the object is already stored and only its metadata changes, this error
 * is left out, so that clients can still delete the object.
 *
 * @param old the object before the change; undefined for a new object
 * @param warn called with the messages of rules about unchanged values
 */
export function* objectErrors(
  schema: StructuralSchema,
  object: JsonObject,
  old: JsonObject | undefined,
  forms: ObjectForms = {},
  warn: (text: string) => void = () => {},
): Checks<readonly FieldError[]> {
  const { ratchets = false, showsValues = false } = forms;
  const errors: FieldError[] = [];
  try {
    yield* checkAll(schema, object, old, forms, errors);
  } catch (error) {
    if (!(error instanceof OverWorkError)) throw error;
    if (old === undefined || !sameContent(object, old)) errors.push(tooMuch());
    return errors;
  }
  if (!schema.holds.rules) return errors;
  if (!errors.some(({ type }) => BLOCKING.has(type)))
    return [
      ...errors,
      ...(yield* validateRules(schema, object, old, { showsValues, ...(ratchets && { ratchet: warn }) })),
    ];
  const detail =
    'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
  return [...errors, fieldError('FieldValueInvalid', '', `Invalid value: "null": ${detail}`)];
}

/**
 * Checks everything except the rules. `errors` also gets the errors that were found before the work exceeded its limit.
 */
function* checkAll(
  schema: StructuralSchema,
  object: JsonObject,
  old: JsonObject | undefined,
  { ratchets = false, texts }: ObjectForms,
  errors: FieldError[],
): Checks<void> {
  const work = new CheckWork(OBJECT_WORK);
  append(errors, yield* validateValue(schema, object, work, { ...(ratchets && { old }), ...(texts && { texts }) }));
  if (schema.holds.embedded) append(errors, yield* validateEmbedded(schema, object, work));
  if (!schema.holds.keyedLists) return;
  const repeated = yield* validateListItems(schema, object, work);
  if (repeated.length === 0) return;
  // If a list already contained an item twice, it may keep it.
  const mayRepeat = old !== undefined && (yield* validateListItems(schema, old, work)).length > 0;
  if (!mayRepeat) append(errors, repeated);
}

function tooMuch(): FieldError {
  const detail =
    'the schema asks for more work on this object than the server does for one: make the object smaller, or the patterns, enums, alternatives and unique lists of its schema simpler; not all of it was checked';
  return fieldError('FieldValueInvalid', '', `Invalid value: "null": ${detail}`);
}

function sameContent(object: JsonObject, old: JsonObject): boolean {
  // A stored object may have no kind and no version.
  const strip = ({ metadata: _m, kind: _k, apiVersion: _v, ...content }: JsonObject): JsonObject => content;
  return sameValue(strip(object), strip(old));
}
