import assert from 'node:assert/strict';
import { isObject, type JsonValue } from '#base/json/json-value.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { FieldType, MessageType } from '#schema/descriptors/types.ts';
import { tripleTables } from './all.ts';

const naming = createNaming('kubernetes');
const schema = loadSchema(naming);
const triples = Object.values(tripleTables).flat();

/** Fields with a special merge rule that the files do not change. */
const UNREACHED = new Map([
  ['core.v1.PodSpec ephemeralContainers', 'a subresource alone changes them'],
  ['meta.v1.LabelSelectorRequirement key', 'it is one text, which nothing merges with'],
]);

const nameOf = (message: MessageType, field: FieldType) => `${message.name} ${field.name}`;

/** The merge rule of a list or map field. */
function kindOf({ repeated, map, listType, message, mapType, patchStrategy, patchMergeKey }: FieldType): string {
  const strategy = patchStrategy.join('+') || 'none';
  if (repeated) return `list ${listType ?? 'of no type'}, strategy ${strategy}, ${patchMergeKey ? 'keyed' : 'plain'}`;
  if (map) return `map ${mapType ?? 'of no type'}, strategy ${strategy}`;
  return message?.jsonForm === 'object'
    ? `object ${mapType ?? message.mapType ?? 'of no type'}, strategy ${strategy}`
    : `value, strategy ${strategy}`;
}

/** All fields that files can change, by their names. */
function changeable(): ReadonlyMap<string, FieldType> {
  const found = new Map<string, FieldType>();
  const seen = new Set<MessageType>();
  const walk = (message: MessageType) => {
    if (seen.has(message)) return;
    seen.add(message);
    for (const field of message.jsonFields) {
      if (message.resource !== undefined && field.name === 'status') continue;
      found.set(nameOf(message, field), field);
      if (field.message !== undefined && field.name !== 'ephemeralContainers') walk(field.message);
    }
  };
  for (const { resources } of schema.groupVersions)
    for (const { message, verbs } of resources) if (verbs.includes('patch')) walk(message);
  return found;
}

/** The fields that triples name in their files. */
function named(): ReadonlyMap<string, FieldType> {
  const found = new Map<string, FieldType>();
  const walk = (value: JsonValue, message: MessageType) => {
    if (!isObject(value)) return;
    for (const [name, inner] of Object.entries(value)) {
      const field = message.byJsonName.get(name);
      if (field === undefined) continue;
      found.set(nameOf(message, field), field);
      if (field.message === undefined) continue;
      const items = Array.isArray(inner) ? inner : field.map && isObject(inner) ? Object.values(inner) : [inner];
      for (const item of items) walk(item, field.message);
    }
  };
  for (const { file, next } of triples)
    for (const object of [file, next]) {
      const [version = '', long = ''] = String(object['apiVersion']).split('/').reverse();
      const group = long === '' ? '' : naming.shortGroup(long);
      const message = group === undefined ? undefined : schema.kind(group, version, String(object['kind']));
      if (message !== undefined) walk(object, message);
    }
  return found;
}

describe('test cases for apply beside another client', () => {
  const [all, tried] = [changeable(), named()];

  it('use every field with its own patch strategy', () => {
    const merging = [...all].filter(([, field]) => field.patchStrategy.length > 0).map(([name]) => name);
    assert.ok(merging.length > 20, 'the schema has lost them');
    assert.deepEqual(
      merging.filter((name) => !tried.has(name) && !UNREACHED.has(name)),
      [],
    );
    assert.deepEqual(
      [...UNREACHED.keys()].filter((name) => !merging.includes(name)),
      [],
    );
  });

  it('use every kind of list, map and object', () => {
    const kinds = new Set([...tried.values()].map(kindOf));
    const missing = [...all].filter(([name, field]) => !UNREACHED.has(name) && !kinds.has(kindOf(field)));
    assert.deepEqual(
      missing.map(([name, field]) => `${name}: ${kindOf(field)}`),
      [],
    );
  });

  it('are at least sixty, each with a unique name', () => {
    const names = triples.map(({ what }) => what);
    assert.ok(names.length >= 60);
    assert.equal(new Set(names).size, names.length);
  });
});
