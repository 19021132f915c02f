import { append } from '#base/collections/append.ts';
import { type FieldError, FieldPath, fieldError, invalidValue, required, shown } from '#base/errors/field-error.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { ObjectMeta } from '#schema/objects/api-object.ts';
import type { CanonicalOptions } from '#schema/objects/canonical.ts';
import { dns1035Label, pathSegmentName } from '#schema/validation/names.ts';
import { validateObjectMeta } from '#schema/validation/object-meta.ts';
import type { Checks, CheckWork } from './check-work.ts';
import { refusedValue } from './go-syntax.ts';
import { MAX_REPORTED } from './prune.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { MAX_ERRORS } from './value-errors.ts';

/**
 * Converts the metadata of an object to canonical form and returns the paths of unknown members.
 * @throws Error with the reason
 */
export type ReadMetadata = (
  metadata: JsonValue,
  unknown: (path: string) => void,
  options?: CanonicalOptions,
) => JsonObject;

/** The error about an invalid embedded object: the problem and its path. */
export class EmbeddedObjectError extends Error {
  readonly error: FieldError;

  constructor(error: FieldError) {
    super(error.text);
    this.error = error;
  }
}

/** The work to check an embedded object, and to check each of its labels, annotations and similar parts, in steps. */
const OBJECT_WORK = 500;
const PART_WORK = 100;

/** An object inside another one. */
interface Embedded {
  readonly object: JsonObject;
  readonly path: FieldPath;
}

/** Each embedded object in a value, by its schema. An outer object comes before the inner ones. */
function* embeddedIn(schema: StructuralSchema, value: JsonValue, path: FieldPath): Generator<Embedded, void, void> {
  if (!mayHold(schema, value)) return;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return;
    for (let i = 0; i < value.length; i++) {
      if (mayHold(items, value[i]!)) yield* embeddedIn(items, value[i]!, path.index(i));
    }
    return;
  }
  if (!isObject(value)) return;
  if (schema.embedded) yield { object: value, path };
  const { properties, additional } = schema;
  for (const name of Object.keys(value)) {
    const property = properties.get(name) ?? additional;
    if (typeof property !== 'object' || !mayHold(property, value[name]!)) continue;
    yield* embeddedIn(property, value[name]!, properties.has(name) ? path.child(name) : path.key(name));
  }
}

function mayHold(schema: StructuralSchema, value: JsonValue): boolean {
  return schema.holds.embedded && typeof value === 'object' && value !== null;
}

/**
 * Converts the metadata of embedded objects to canonical form, in place. Returns the paths of unknown fields. Throws an
 * {@link EmbeddedObjectError} for an invalid object.
 */
export function coerceEmbedded(
  schema: StructuralSchema,
  value: JsonValue,
  readMetadata: ReadMetadata,
  base = new FieldPath(),
): string[] {
  const unknown: string[] = [];
  for (const { object, path } of embeddedIn(schema, value, base)) {
    for (const name of ['apiVersion', 'kind']) {
      const member = object[name];
      if (member === undefined || typeof member === 'string') continue;
      throw new EmbeddedObjectError(refusedValue(path.child(name), member, 'must be a string'));
    }
    if (object.metadata === undefined) continue;
    try {
      const report = (field: string): void => {
        if (unknown.length < MAX_REPORTED) unknown.push(`${path.child('metadata')}.${field}`);
      };
      object.metadata = readMetadata(object.metadata, report);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      throw new EmbeddedObjectError(refusedValue(path.child('metadata'), object.metadata, error.message));
    }
  }
  return unknown.sort();
}

/**
 * Errors of embedded objects. Each needs a version, a kind, and valid metadata. The check pauses for other requests.
 * @throws OverWorkError if the checks cost more than the rest of `work`
 */
export function* validateEmbedded(
  schema: StructuralSchema,
  value: JsonValue,
  work: CheckWork,
  base = new FieldPath(),
): Checks<FieldError[]> {
  const errors: FieldError[] = [];
  for (const { object, path } of embeddedIn(schema, value, base)) {
    if (errors.length >= MAX_ERRORS) break;
    work.charge(OBJECT_WORK + partsOf(object.metadata) * PART_WORK);
    if (work.isDue) {
      yield;
      work.resumed();
    }
    append(
      errors,
      versionErrors(object.apiVersion, path.child('apiVersion')),
      kindErrors(object.kind, path.child('kind')),
      metadataErrors(object.metadata, path.child('metadata')),
    );
  }
  return errors;
}

/** The number of labels, annotations and similar parts in metadata. */
function partsOf(metadata: JsonValue | undefined): number {
  if (metadata === undefined || !isObject(metadata)) return 0;
  let parts = 0;
  for (const name in metadata) {
    const member = metadata[name]!;
    if (typeof member === 'object' && member !== null) parts += Object.keys(member).length;
  }
  return parts;
}

function versionErrors(version: JsonValue | undefined, path: FieldPath): FieldError[] {
  if (version === undefined) return [required(path, 'must not be empty')];
  if (typeof version !== 'string') return [invalidValue(path, version ?? 'null', 'must be a string')];
  if (version === '') return [invalidValue(path, version, 'must not be empty')];
  return version.split('/').length > 2
    ? [invalidValue(path, version, `unexpected GroupVersion string: ${version}`)]
    : [];
}

function kindErrors(kind: JsonValue | undefined, path: FieldPath): FieldError[] {
  if (kind === undefined) return [required(path, 'must not be empty')];
  if (typeof kind !== 'string') return [invalidValue(path, kind ?? 'null', 'must be a string')];
  if (kind === '') return [invalidValue(path, kind, 'must not be empty')];
  const problems = dns1035Label(kind.toLowerCase());
  if (problems.length === 0) return [];
  return [invalidValue(path, kind, `may have mixed case, but should otherwise match: ${problems.join(',')}`)];
}

function metadataErrors(metadata: JsonValue | undefined, path: FieldPath): FieldError[] {
  if (metadata === undefined) return [];
  if (!isObject(metadata)) {
    return [fieldError('FieldValueInvalid', path, `Invalid value: ${shown(metadata)}: must be an object`)];
  }
  const meta = metadata as ObjectMeta;
  return validateObjectMeta(
    // An object that is not stored separately may have no name.
    { ...meta, name: meta.name === undefined || meta.name === '' ? 'fakename' : meta.name },
    { namespaced: (meta.namespace ?? '') !== '', validateName: pathSegmentName, path },
  );
}
