import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { CommandError } from '../framework/errors.ts';

/** One step of a path. It selects a member, the items of a list whose member has a value, one item, or all items. */
type Step =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'where'; readonly key: string; readonly value: string }
  | { readonly kind: 'item'; readonly index: number }
  | { readonly kind: 'all' };

/** A value at the end of a path. It can be replaced in its object or list. */
export interface Place {
  get(): JsonValue | undefined;
  set(value: JsonValue): void;
}

/** The largest number of characters of a path. */
const LONGEST = 1000;

/**
 * The steps of a path such as `spec.containers.[name=web].env.0.value`. `\.` means a dot in a name, `[key]` means a
 * member whose name has dots, and `*` means all items.
 * @throws CommandError if the path is malformed
 */
export function parseFieldPath(path: string): readonly Step[] {
  const parts = path.match(/(?:\\.|\[[^\]]*\]|[^.[\\])+/g);
  if (parts === null || path.length > LONGEST)
    throw new CommandError(`${JSON.stringify(path)} is not a valid field path`);
  return parts.map(stepOf);
}

function stepOf(part: string): Step {
  const inBrackets = /^\[(.*)\]$/.exec(part)?.[1];
  const name = (inBrackets ?? part).replaceAll(/\\(.)/g, '$1');
  const [, key, value] = inBrackets === undefined ? [] : (/^([^=]+)=(.*)$/.exec(name) ?? []);
  if (key !== undefined && value !== undefined) return { kind: 'where', key, value };
  if (name === '*') return { kind: 'all' };
  return /^\d+$/.test(name) ? { kind: 'item', index: Number(name) } : { kind: 'member', name };
}

/**
 * All places to which a path leads in an object. With `create`, the missing members of the path are created, including
 * the last one.
 */
export function placesOf(object: JsonObject, steps: readonly Step[], create: boolean): Place[] {
  let places: Place[] = [{ get: () => object, set: () => {} }];
  for (const [i, step] of steps.entries()) {
    const next = steps[i + 1];
    const empty = (): JsonValue | undefined => (next === undefined ? undefined : next.kind === 'member' ? {} : []);
    places = places.flatMap((place) => within(place, step, create, empty));
  }
  return places;
}

function within(place: Place, step: Step, create: boolean, empty: () => JsonValue | undefined): Place[] {
  const value = place.get();
  if (isObject(value)) {
    if (step.kind === 'all') return Object.keys(value).map((name) => memberOf(value, name));
    const name = step.kind === 'member' ? step.name : step.kind === 'item' ? String(step.index) : undefined;
    if (name === undefined) return [];
    if (Object.hasOwn(value, name)) return [memberOf(value, name)];
    if (!create) return [];
    const made = empty();
    if (made !== undefined) value[name] = made;
    return [memberOf(value, name)];
  }
  if (!Array.isArray(value)) return [];
  const list: JsonValue[] = value;
  switch (step.kind) {
    case 'all':
      return list.map((_, index) => itemOf(list, index));
    case 'item':
      return step.index < list.length ? [itemOf(list, step.index)] : [];
    case 'where': {
      const found = list.flatMap((item, index) =>
        isObject(item) && Object.hasOwn(item, step.key) && String(item[step.key]) === step.value ? [index] : [],
      );
      if (found.length === 0 && create) found.push(list.push({ [step.key]: step.value }) - 1);
      return found.map((index) => itemOf(list, index));
    }
    default:
      return [];
  }
}

const memberOf = (object: JsonObject, name: string): Place => ({
  get: () => object[name],
  set: (value) => {
    object[name] = value;
  },
});

const itemOf = (list: JsonValue[], index: number): Place => ({
  get: () => list[index],
  set: (value) => {
    list[index] = value;
  },
});
