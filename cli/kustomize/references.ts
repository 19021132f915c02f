import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { CommandError } from '../framework/errors.ts';
import { changeField, type FieldSpec, type FieldSpecs, isOf, type NameReference, shortGroup } from './field-specs.ts';
import { idOf, isNamespaced, nameIn, namespaceIn, type Resource, text, typeOf } from './resource.ts';

/** A reference, with the object that contains it, its target and its field. */
interface Reference {
  readonly referrer: Resource;
  readonly target: NameReference;
  readonly field: FieldSpec;
}

/**
 * Updates all references to objects with their new names and, if a reference contains a namespace, their new namespace.
 * @throws CommandError if a reference is ambiguous
 */
export function followNames(resources: readonly Resource[], { nameReference }: FieldSpecs): void {
  const called = new Map<string, Resource[]>();
  for (const one of resources)
    for (const name of one.names) {
      const others = called.get(name);
      if (others === undefined) called.set(name, [one]);
      else others.push(one);
    }
  if (called.size === 0) return;
  for (const referrer of resources)
    for (const target of nameReference)
      for (const field of target.fields) if (isOf(referrer, field)) follow({ referrer, target, field }, called);
}

function follow(reference: Reference, called: ReadonlyMap<string, readonly Resource[]>): void {
  const { referrer, field } = reference;
  const followed = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(followed);
    if (isObject(value)) return followObject(reference, value, called);
    const found = meant(
      reference,
      (called.get(text(value)) ?? []).filter((one) => isNear(referrer, one)),
    );
    return found === undefined ? value : nameIn(found);
  };
  try {
    changeField(referrer, field, followed, () => '');
  } catch (error) {
    throw new CommandError(
      `updating name reference in '${field.path}' field of '${idOf(referrer)}': ${(error as Error).message}`,
    );
  }
}

/** An object that has a name, and perhaps a namespace and a kind. */
function followObject(
  reference: Reference,
  value: JsonObject,
  called: ReadonlyMap<string, readonly Resource[]>,
): JsonValue {
  const { referrer, target } = reference;
  // A subject of another kind does not mean this object.
  if (Object.hasOwn(value, 'kind') && value['kind'] !== target.kind) return value;
  if (!Object.hasOwn(value, 'name')) throw new CommandError("path config error; no 'name' field in node");
  const candidates = called.get(text(value['name'])) ?? [];
  const place = value['namespace'] ?? null;
  const found = meant(
    reference,
    candidates.filter((one) =>
      place === null
        ? isNear(referrer, one)
        : [namespaceIn(one), ...one.namespaces].some((own) => (own || 'default') === (text(place) || 'default')),
    ),
  );
  if (found === undefined) return value;
  const namespace = namespaceIn(found) === '' ? {} : { namespace: namespaceIn(found) };
  return { ...value, name: nameIn(found), ...namespace };
}

/** Whether a reference without a namespace can mean an object. */
function isNear(referrer: Resource, one: Resource): boolean {
  return (
    !isNamespaced(referrer) ||
    !isNamespaced(one) ||
    (namespaceIn(one) || 'default') === (namespaceIn(referrer) || 'default')
  );
}

/**
 * The object that a reference means. If several objects match, it is the one whose name has the same prefixes and
 * suffixes as the referrer.
 */
function meant({ referrer, target, field }: Reference, called: readonly Resource[]): Resource | undefined {
  let found = called.filter((one) => isOf(one, target) && isOfRole(referrer, field, one));
  for (const allowNone of [true, false])
    if (found.length > 1) found = found.filter((one) => areAlike(referrer, one, allowNone));
  if (new Set(found.map(nameIn)).size <= 1) return found[0];
  throw new CommandError(`found multiple possible referrals: ${found.map(idOf).join(', ')}`);
}

/** A role reference also names the kind of the role, which must match. */
function isOfRole({ object }: Resource, { path }: FieldSpec, one: Resource): boolean {
  const role = object['roleRef'];
  if (path !== 'roleRef/name' || !isObject(role)) return true;
  const { group, kind } = typeOf(one);
  return role['kind'] === kind && shortGroup(text(role['apiGroup'])) === shortGroup(group);
}

function areAlike(one: Resource, other: Resource, allowNone: boolean): boolean {
  return (['prefixes', 'suffixes'] as const).every((list) => {
    const [a, b] = [one.affixes[list], other.affixes[list]];
    if (allowNone && (a.length === 0 || b.length === 0)) return true;
    const least = Math.min(a.length, b.length);
    return least === 0 ? a.length === b.length : a.slice(-least).every((text, i) => text === b.at(i - least));
  });
}
