import assert from 'node:assert/strict';
import type { JsonValue } from '#base/json/json-value.ts';
import { atOnce } from '#base/time/steps.ts';
import { coerceEmbedded, EmbeddedObjectError, validateEmbedded } from './embedded-objects.ts';
import { validateListItems } from './list-items.ts';
import { compiled, enoughWork } from './testing/schemas.ts';

const lines = (schema: object, value: JsonValue) =>
  atOnce(validateListItems(compiled(schema), value, enoughWork())).map(({ text }) => text);

describe('items of lists', () => {
  it('of a set must be different', () => {
    const set = { type: 'array', 'x-orch-list-type': 'set', items: { 'x-orch-int-or-string': true } };
    assert.deepEqual(lines(set, ['a', 'b', 'a', 'a', 1, '1']), ['[2]: Duplicate value: "a"']);
    assert.deepEqual(lines(set, [null, null]), ['[1]: Duplicate value: "null"']);
    assert.deepEqual(lines({ type: 'object', additionalProperties: set }, { k: [1, 1] }), [
      '[k][1]: Duplicate value: 1',
    ]);
  });

  it('of a map list must have different keys', () => {
    const map = {
      type: 'array',
      'x-orch-list-type': 'map',
      'x-orch-list-map-keys': ['a', 'b'],
      items: { type: 'object' },
    };
    assert.deepEqual(
      lines({ type: 'object', properties: { l: map } }, { l: [{ a: 'x', b: 1 }, { a: 'x' }, { a: 'x', b: 1, c: 2 }] }),
      ['l[2]: Duplicate value: map[string]interface {}{"a":"x", "b":1}'],
    );
    assert.deepEqual(lines(map, [{ a: 'x' }, 'x']), [
      '[1]: Invalid value: "x": must be an object for an array of list-type map',
    ]);
    assert.deepEqual(lines(map, [null, 'x', 1, {}]), [
      '[1]: Invalid value: "x": must be an object for an array of list-type map',
    ]);
    assert.deepEqual(lines(map, [null]), []);
    assert.deepEqual(lines(map, [null, { a: null }, {}, { a: null }]), [
      '[2]: Duplicate value: map[string]interface {}{}',
      '[3]: Duplicate value: map[string]interface {}{"a":interface {}(nil)}',
    ]);
  });
});

describe('embedded objects', () => {
  const schema = compiled({
    type: 'object',
    properties: { e: { type: 'object', 'x-orch-embedded-resource': true, 'x-orch-preserve-unknown-fields': true } },
  });
  const errors = (e: JsonValue) => atOnce(validateEmbedded(schema, { e }, enoughWork())).map(({ field }) => field);

  it('need a version, a kind and valid metadata', () => {
    assert.deepEqual(errors({ apiVersion: 'v1', kind: 'ConfigMap' }), []);
    assert.deepEqual(errors({}), ['e.apiVersion', 'e.kind']);
    assert.deepEqual(errors({ apiVersion: 'a/b/c', kind: 'a b', metadata: { labels: { 'x y': '' } } }), [
      'e.apiVersion',
      'e.kind',
      'e.metadata.labels',
    ]);
  });

  it('have their metadata pruned like all metadata', () => {
    const value = { e: { metadata: { name: 'a', extra: 1 } } };
    const read = (_metadata: JsonValue, unknown: (path: string) => void) => {
      unknown('extra');
      return { name: 'a' };
    };
    assert.deepEqual(coerceEmbedded(schema, value, read), ['e.metadata.extra']);
    assert.deepEqual(value, { e: { metadata: { name: 'a' } } });
    const empty = { e: { metadata: {} } };
    coerceEmbedded(schema, empty, () => ({}));
    assert.deepEqual(empty, { e: { metadata: {} } });
    assert.throws(() => coerceEmbedded(schema, { e: { kind: 1 } }, read), EmbeddedObjectError);
  });
});
