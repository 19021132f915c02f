import { append } from '#base/collections/append.ts';
import { versionKey } from '#schema/conversion/version-rules.ts';
import { labelOf, versionOf } from '#schema/descriptors/of-release.ts';
import { storageId } from '#schema/descriptors/storage-id.ts';
import type { MessageType, ResourceType, Schema } from '#schema/descriptors/types.ts';
import { normalize } from '#schema/objects/normalize.ts';
import type { KindRules, TableContext } from '../api/resource-definition.ts';
import type { ResourceHandler } from '../api/resource-handler.ts';

/** The error that the registered rules do not match `proto/`. This is a mistake in this program, found at its start. */
export class RegistrationError extends Error {
  constructor(problems: readonly string[]) {
    super(`what is registered does not fit proto/:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/** Answers requests on a resource or subresource that is not a plain view of a stored object. */
export type SpecialHandlers = ReadonlyMap<string, ResourceHandler>;

/**
 * The key of the handler of a virtual resource, or of a subresource: `authorization/subjectaccessreviews`,
 * `core/pods/eviction`.
 */
export function specialKey(resource: { readonly group: string; readonly plural: string }, subresource: string): string {
  const id = storageId(resource.group, resource.plural);
  return subresource === '' ? id : `${id}/${subresource}`;
}

/** The key of the handler for all subresources of a kind. It is separate from the handler of the resource. */
export function viewKey(kind: string): string {
  return `view of ${kind}`;
}

/** Columns whose cells need no rules. */
const PLAIN_COLUMNS = new Set(['Name', 'Created At', 'Age']);

/** Verbs of a subresource that every view of a stored object has. */
const VIEW_VERBS = new Set(['get', 'patch', 'update']);

/**
 * Checks that rules match the schema. Each rule must belong to a stored resource, and each stored resource must have
 * rules. The versions, subresources and field labels in a rule must exist. A rule must have a cell for each column.
 *
 * @throws RegistrationError that lists everything that does not match
 */
export function checkRules(schema: Schema, rules: ReadonlyMap<string, KindRules>, context: TableContext): void {
  const stored = storedTypes(schema);
  const problems: string[] = [];
  for (const id of rules.keys()) {
    if (!stored.has(id) && !schema.everRegistered.has(id))
      problems.push(`rules for ${id}, which is not stored${likely(id, stored.keys())}`);
  }
  for (const [id, types] of stored) {
    const own = rules.get(id);
    if (own === undefined) problems.push(`no rules for ${id}: a kind without any is registered as such`);
    else append(problems, kindProblems(id, types, own, schema, context));
  }
  if (problems.length > 0) throw new RegistrationError(problems);
}

/**
 * Checks that handlers match the schema. Each must belong to a known resource or subresource. Each one that is not a
 * view of a stored object must have a handler.
 *
 * @throws RegistrationError that lists everything that does not match
 */
export function checkHandlers(schema: Schema, handlers: SpecialHandlers): void {
  const needed = new Map<string, string>();
  const possible = new Set<string>();
  for (const { resources } of schema.groupVersions) {
    for (const type of resources) {
      const identity = type.storage ?? type;
      const own = specialKey(identity, '');
      if (type.storage === undefined) needed.set(own, own);
      for (const { name, kind, verbs } of type.subresources) {
        const key = specialKey(identity, name);
        possible.add(key);
        if (kind !== type.kind) possible.add(viewKey(kind));
        if (kind === type.kind && verbs.every((verb) => VIEW_VERBS.has(verb))) continue;
        if (kind === type.kind || !handlers.has(viewKey(kind))) needed.set(key, key);
      }
    }
  }
  const problems = [...needed.keys()]
    .filter((key) => !handlers.has(key))
    .map((key) => `no handler for ${key}, which is no view of a stored object`);
  for (const key of handlers.keys()) {
    if (needed.has(key) || possible.has(key) || schema.everRegistered.has(key)) continue;
    problems.push(
      `a handler for ${key}, which is neither virtual nor a subresource${likely(key, [...needed.keys(), ...possible])}`,
    );
  }
  if (problems.length > 0) throw new RegistrationError(problems);
}

/** The versions of each stored resource, by its identity. */
function storedTypes(schema: Schema): Map<string, ResourceType[]> {
  const stored = new Map<string, ResourceType[]>();
  for (const { resources } of schema.groupVersions) {
    for (const type of resources) {
      if (type.storage === undefined) continue;
      const id = storageId(type.storage.group, type.storage.plural);
      const there = stored.get(id);
      if (there === undefined) stored.set(id, [type]);
      else there.push(type);
    }
  }
  return stored;
}

function storedMessage(schema: Schema, [type]: readonly ResourceType[]): MessageType {
  const { group, version } = type!.storage!;
  return schema.message(`${packageOf(schema, group, version)}.${type!.kind}`);
}

function packageOf(schema: Schema, group: string, version: string): string {
  const of = schema.groupVersions.find((one) => one.group === group && one.version === version);
  return of?.resources[0]?.message.package ?? '';
}

function kindProblems(
  id: string,
  types: readonly ResourceType[],
  rules: KindRules,
  schema: Schema,
  context: TableContext,
): string[] {
  const message = storedMessage(schema, types);
  const ever = schema.everRegistered;
  const versions = new Set(types.map((type) => versionKey(type, type.storage!)));
  const views = new Set(types.flatMap(({ subresources }) => subresources.map(({ name }) => name)));
  const labels = new Set(types.flatMap(({ selectableFields }) => selectableFields));
  return [
    ...unknown(
      rules.versions,
      versions,
      (name) => ever.has(versionOf(id, name)),
      (name) => `${id}: rules for version ${name}`,
    ),
    ...unknown(
      rules.subresources,
      views,
      (name) => ever.has(`${id}/${name}`),
      (name) => `${id}: rules for subresource ${name}`,
    ),
    ...unknown(
      rules.viewResets,
      new Set(['', ...views]),
      (name) => ever.has(`${id}/${name}`),
      (name) => `${id}: reset fields of subresource ${name}`,
    ),
    ...unknown(
      rules.selectableFields,
      labels,
      (name) => ever.has(labelOf(id, name)),
      (name) => `${id}: a value for field label ${name}`,
    ),
    ...[...labels]
      .filter((label) => rules.selectableFields?.[label] === undefined && !hasPath(message, label.split('.')))
      .map((label) => `${id}: field label ${label} is no field of ${message.name}, and no rule gives its value`),
    ...types.flatMap((type) => tableProblems(id, type, rules, message, context)),
  ];
}

/** The unknown names among some names. `elsewhere` recognizes names of other releases. */
function unknown(
  given: object | undefined,
  known: ReadonlySet<string>,
  elsewhere: (name: string) => boolean,
  what: (name: string) => string,
): string[] {
  return Object.keys(given ?? {})
    .filter((name) => !known.has(name) && !elsewhere(name))
    .map((name) => `${what(name)}, which it does not have${likely(name, known)}`);
}

/** Whether a message has a field at a path. Paths below maps and free-form values are accepted. */
function hasPath(message: MessageType, [name = '', ...rest]: readonly string[]): boolean {
  const field = message.byJsonName.get(name);
  if (field === undefined) return false;
  return rest.length === 0 || field.map || field.message === undefined || hasPath(field.message, rest);
}

function tableProblems(
  id: string,
  { columns, cells: shown, version }: ResourceType,
  rules: KindRules,
  message: MessageType,
  context: TableContext,
): string[] {
  const of = `${id}: the table of ${version}`;
  if (rules.cells === undefined) {
    return columns
      .filter(({ name }) => !PLAIN_COLUMNS.has(name))
      .map(({ name }) => `${of} has a column ${JSON.stringify(name)}, but there are no cells`);
  }
  const sample = normalize(message, { metadata: { name: 'sample' } });
  const { length } = rules.cells(sample as never, context);
  if (shown === undefined ? length === columns.length : shown.every((place) => place < length)) return [];
  return [`${of} has ${columns.length} columns (${columns.map(({ name }) => name).join(', ')}), but ${length} cells`];
}

/** A question about the name that was probably meant. */
function likely(name: string, known: Iterable<string>): string {
  const near = [...known].find((other) => distance(name, other) <= 2);
  return near === undefined ? '' : `: is it ${near}?`;
}

/** The number of characters to insert, remove or exchange to turn one text into the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(next[j - 1]! + 1, row[j]! + 1, replaced));
    }
    row = next;
  }
  return row[b.length]!;
}
