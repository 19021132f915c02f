import assert from 'node:assert/strict';
import type { JsonObject } from '#base/json/json-value.ts';
import { loadSchema } from '../descriptors/load.ts';
import { serializeFieldSet } from './fields-v1.ts';
import { objectSchemaOfOpenApi } from './open-api-type.ts';
import { fieldSetOf } from './to-field-set.ts';

const meta = loadSchema().message('meta.v1.ObjectMeta');
const spec = (property: JsonObject): JsonObject => ({ type: 'object', properties: { p: property } });

describe('field sets of custom resources', () => {
  const cases: [what: string, schema: JsonObject | undefined, value: JsonObject, fields: object][] = [
    ['no schema', undefined, { p: { a: [1] } }, { 'f:p': { '.': {}, 'f:a': {} } }],
    [
      'declared fields',
      spec({ type: 'object', properties: { a: { type: 'string' } } }),
      { p: { a: 'x' } },
      { 'f:p': { 'f:a': {} } },
    ],
    [
      'a map with any keys',
      spec({ type: 'object', additionalProperties: { type: 'string' } }),
      { p: { a: 'x' } },
      { 'f:p': { 'f:a': {} } },
    ],
    [
      'preserved unknown fields',
      spec({ type: 'object', 'x-n-preserve-unknown-fields': true }),
      { p: { d: { l: [1] } } },
      { 'f:p': { 'f:d': { '.': {}, 'f:l': {} } } },
    ],
    [
      'an atomic map',
      spec({ type: 'object', 'x-n-map-type': 'atomic', additionalProperties: { type: 'string' } }),
      { p: { a: 'x' } },
      { 'f:p': {} },
    ],
    ['a list without a type', spec({ type: 'array', items: { type: 'string' } }), { p: ['a'] }, { 'f:p': {} }],
    [
      'a set',
      spec({ type: 'array', 'x-n-list-type': 'set', items: { type: 'integer' } }),
      { p: [3, 1] },
      { 'f:p': { 'v:1': {}, 'v:3': {} } },
    ],
    [
      'a list with keys, one of them with a default',
      spec({
        type: 'array',
        'x-n-list-type': 'map',
        'x-n-list-map-keys': ['k', 'a'],
        items: { type: 'object', properties: { k: { type: 'string' }, a: { type: 'integer', default: 7 } } },
      }),
      { p: [{ k: 'x' }] },
      { 'f:p': { 'k:{"a":7,"k":"x"}': { '.': {}, 'f:k': {} } } },
    ],
    ['an int-or-string', spec({ 'x-n-int-or-string': true }), { p: 5 }, { 'f:p': {} }],
    [
      'an embedded resource',
      spec({ type: 'object', 'x-n-embedded-resource': true, 'x-n-preserve-unknown-fields': true }),
      { p: { kind: 'K', metadata: { labels: { a: 'b' } }, d: { k: 'v' } } },
      { 'f:p': { 'f:d': { '.': {}, 'f:k': {} }, 'f:kind': {}, 'f:metadata': { 'f:labels': { 'f:a': {} } } } },
    ],
    [
      'object metadata',
      undefined,
      { metadata: { finalizers: ['x'] } },
      { 'f:metadata': { 'f:finalizers': { 'v:"x"': {} } } },
    ],
  ];
  for (const [what, schema, value, fields] of cases) {
    it(what, () => {
      assert.deepEqual(serializeFieldSet(fieldSetOf(value, objectSchemaOfOpenApi(schema, 'x-n-', meta).type)), fields);
    });
  }
});
