import type { Naming } from '#base/naming/naming.ts';
import type { ApiObject, ObjectMeta } from '#schema/objects/api-object.ts';
import { intern } from './intern.ts';

/**
 * The fields of its objects that a cache keeps besides their metadata: all fields, or paths such as `spec.nodeName`.
 * Lists are not marked in a path (`spec.volumes.persistentVolumeClaim`).
 */
export type Fields = '*' | readonly string[];

/** All fields that at least one of two users of a cache needs. */
export function unite(a: Fields, b: Fields): Fields {
  return a === '*' || b === '*' ? '*' : [...new Set([...a, ...b])].sort();
}

/** Whether a cache that keeps the fields `kept` has all fields of `wanted`. */
export function covers(kept: Fields, wanted: Fields): boolean {
  if (kept === '*') return true;
  if (wanted === '*') return false;
  return wanted.every((path) => kept.some((own) => own === path || path.startsWith(`${own}.`)));
}

/**
 * Makes objects from the server small. It removes managed fields and the last applied configuration, keeps only
 * selected fields, and stores repeated texts once.
 */
export class Projection {
  readonly #tree: Tree | undefined;
  readonly #lastApplied: string;

  constructor(fields: Fields, naming: Naming) {
    this.#tree = fields === '*' ? undefined : treeOf(fields);
    this.#lastApplied = naming.key('ctl/last-applied-configuration');
  }

  apply<T extends ApiObject>(object: T): T {
    const metadata = smallMetadata(object.metadata, this.#lastApplied);
    if (this.#tree === undefined) return { ...object, metadata };
    const kept: Record<string, unknown> = {};
    if (object.apiVersion !== undefined) kept['apiVersion'] = intern(object.apiVersion);
    if (object.kind !== undefined) kept['kind'] = intern(object.kind);
    kept['metadata'] = metadata;
    for (const [name, below] of this.#tree) {
      if (name === 'metadata') continue;
      const value = object[name];
      if (value !== undefined) kept[name] = pick(value, below);
    }
    return kept as T;
  }
}

/** Fields by name, each with the kept fields below it. Undefined means everything below. */
type Tree = ReadonlyMap<string, Tree>;

function treeOf(paths: readonly string[]): Tree {
  const below = new Map<string, string[]>();
  for (const path of paths) {
    const dot = path.indexOf('.');
    const name = dot < 0 ? path : path.slice(0, dot);
    const rest = below.get(name) ?? [];
    rest.push(dot < 0 ? '' : path.slice(dot + 1));
    below.set(name, rest);
  }
  return new Map([...below].map(([name, rest]) => [name, rest.includes('') ? new Map() : treeOf(rest)]));
}

function pick(value: unknown, tree: Tree): unknown {
  if (tree.size === 0 || typeof value !== 'object' || value === null) return shareTexts(value);
  if (Array.isArray(value)) return value.map((item) => pick(item, tree));
  const kept: Record<string, unknown> = {};
  for (const [name, below] of tree) {
    if (!Object.hasOwn(value, name)) continue;
    kept[name] = pick((value as Record<string, unknown>)[name], below);
  }
  return kept;
}

/**
 * Replaces the texts within a value by the copies that other objects already have. Times, types and reasons of
 * conditions, images and addresses are often the same in many objects, or several times in one object.
 */
function shareTexts(value: unknown): unknown {
  if (typeof value === 'string') return intern(value);
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Record<string, unknown>;
  for (const key of Object.keys(fields)) {
    const inner = fields[key];
    if (typeof inner === 'string') fields[key] = intern(inner);
    else if (typeof inner === 'object') shareTexts(inner);
  }
  return value;
}

/** The metadata of objects from which an annotation was removed. */
const cut = new WeakSet<ObjectMeta>();

/**
 * Whether the copy of an object has all metadata that a write needs. If so, the caller need not read the object first.
 * Managed fields may be missing, because the server keeps them.
 */
export function isWritable({ metadata }: ApiObject): boolean {
  return !cut.has(metadata);
}

function smallMetadata(metadata: ObjectMeta, lastApplied: string): ObjectMeta {
  const { managedFields: _, annotations, labels, namespace, ownerReferences, ...rest } = metadata;
  const small: ObjectMeta = rest;
  if (namespace !== undefined) small.namespace = intern(namespace);
  if (labels !== undefined) small.labels = internTexts(labels);
  if (annotations !== undefined) {
    const { [lastApplied]: text, ...others } = annotations;
    if (text !== undefined) cut.add(small);
    if (Object.keys(others).length > 0) small.annotations = others;
  }
  if (ownerReferences !== undefined)
    small.ownerReferences = ownerReferences.map((owner) => ({
      ...owner,
      apiVersion: intern(owner.apiVersion),
      kind: intern(owner.kind),
      name: intern(owner.name),
      uid: intern(owner.uid),
    }));
  return small;
}

function internTexts(texts: Record<string, string>): Record<string, string> {
  for (const key of Object.keys(texts)) texts[key] = intern(texts[key]!);
  return texts;
}
