import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { CommandError } from '../framework/errors.ts';
import { compareTypes } from './order.ts';
import { idOf, kindOf, type Resource, typeOf } from './resource.ts';

/** A type of objects. A part that is '' matches all values. */
export interface TypePattern {
  /** The group. The short form means the group of every naming profile. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A field in objects of a type. */
export interface FieldSpec extends TypePattern {
  /**
   * The path of the field, such as `spec/template/metadata/labels`. The path continues in each item of a list. A list
   * with `[]` after its name is not created.
   */
  readonly path: string;
  /** Whether the field is created if it is missing. */
  readonly create: boolean;
}

/** The fields that contain names of objects of a type. */
export interface NameReference extends TypePattern {
  readonly fields: readonly FieldSpec[];
}

/** The transformations with configurable fields, by their names in files of `configurations`. */
export const CHANGES = [
  ...(['namePrefix', 'nameSuffix', 'namespace', 'commonLabels', 'labels', 'templateLabels'] as const),
  ...(['commonAnnotations', 'varReference', 'images', 'replicas'] as const),
] as const;
export type Change = (typeof CHANGES)[number];

/** The fields in which each change is made, by the types of objects. */
export type FieldSpecs = Readonly<Record<Change, readonly FieldSpec[]>> & {
  readonly nameReference: readonly NameReference[];
};

const namings = namingProfiles.map(createNaming);

/** A group in the form that field specs contain. */
export function shortGroup(group: string): string {
  for (const naming of namings) {
    const short = naming.shortGroup(group);
    if (short !== undefined) return short;
  }
  return group;
}

/** Whether a pattern matches the type of an object. */
export function isOf(resource: Resource, { group, version, kind }: TypePattern): boolean {
  if (kind !== '' && kind !== kindOf(resource)) return false;
  const own = typeOf(resource);
  return (version === '' || version === own.version) && (group === '' || shortGroup(group) === shortGroup(own.group));
}

/**
 * Adds fields to other fields. A field that exists remains, and must agree with the new one.
 * @throws CommandError if they differ
 */
export function mergeFields(known: readonly FieldSpec[], added: readonly FieldSpec[]): readonly FieldSpec[] {
  const all = [...known];
  for (const one of added) {
    const same = all.find((other) => one.path === other.path && selects(one, other));
    if (same === undefined) all.push(one);
    else if (same.create !== one.create) throw new CommandError('conflicting fieldspecs');
  }
  return all.sort(compareTypes);
}

/** @throws CommandError if the specs disagree on whether a field is created */
export function mergeSpecs(known: FieldSpecs, added: FieldSpecs): FieldSpecs {
  const merged = CHANGES.map((change) => [change, merge(change, () => mergeFields(known[change], added[change]))]);
  const nameReference = merge('nameReference', () => mergeReferences(known.nameReference, added.nameReference));
  return { ...(Object.fromEntries(merged) as Record<Change, readonly FieldSpec[]>), nameReference };
}

function merge<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const shown = what === 'namespace' ? 'NameSpace' : `${what[0]!.toUpperCase()}${what.slice(1)}`;
    throw new CommandError(`failed to merge ${shown} fieldSpec: ${(error as Error).message}`);
  }
}

function mergeReferences(known: readonly NameReference[], added: readonly NameReference[]): NameReference[] {
  const all = [...known];
  for (const one of added) {
    const at = all.findIndex((other) => selects(one, other) && selects(other, one));
    if (at < 0) all.push(one);
    else all[at] = { ...all[at]!, fields: mergeFields(all[at]!.fields, one.fields) };
  }
  return all.sort(compareTypes);
}

/** Whether a pattern matches everything that another pattern matches. */
function selects(pattern: TypePattern, other: TypePattern): boolean {
  const same = (part: 'group' | 'version' | 'kind') => pattern[part] === '' || pattern[part] === other[part];
  return same('kind') && same('version') && (same('group') || shortGroup(pattern.group) === shortGroup(other.group));
}

/**
 * Replaces each value at a field of an object by the result of `change`. `empty` gives the first value of a created
 * field.
 * @throws CommandError if the path leads through a plain value
 */
export function changeField(
  resource: Resource,
  field: Pick<FieldSpec, 'path' | 'create'>,
  change: (value: JsonValue) => JsonValue,
  empty: () => JsonValue,
): void {
  const steps = (field.path.match(/(?:\\\/|[^/])+/g) ?? []).map((step) => step.replaceAll('\\/', '/'));
  const walk = (value: JsonValue, at: number): JsonValue => {
    if (at === steps.length) return change(value);
    if (value === null) return value;
    if (Array.isArray(value)) return value.map((item) => walk(item, at));
    if (!isObject(value)) throw new CommandError('expected sequence or mapping node');
    stepInto(value, at);
    return value;
  };
  const stepInto = (object: JsonObject, at: number) => {
    const isList = steps[at]!.endsWith('[]');
    const name = isList ? steps[at]!.slice(0, -2) : steps[at]!;
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    if (value === undefined || value === null) {
      if (!field.create || isList) return;
      object[name] = walk(at + 1 === steps.length ? empty() : {}, at + 1);
    } else object[name] = walk(value, at + 1);
  };
  try {
    stepInto(resource.object, 0);
  } catch (error) {
    throw new CommandError(
      `considering field '${field.path}' of object ${idOf(resource)}: ${(error as Error).message}`,
    );
  }
}

/** Specs without any field. */
export const noSpecs: FieldSpecs = {
  ...(Object.fromEntries(CHANGES.map((change) => [change, []])) as unknown as Record<Change, []>),
  nameReference: [],
};
