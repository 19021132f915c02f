import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cloneJson } from '#base/json/clone-json.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import { defaultValues } from './default-values.ts';
import { pruneNulls, pruneObject } from './prune.ts';
import { anyObject, anySchema, compiled } from './testing/schemas.ts';

const text = { type: 'string' };
const pruned = (properties: object, object: JsonObject): [JsonObject, string[]] => {
  const schema = compiled({ type: 'object', properties });
  const copy = cloneJson(object);
  const unknown = pruneObject(schema, copy, true);
  return [copy, unknown];
};

describe('pruning', () => {
  it('removes fields that the schema does not contain, and returns their paths', () => {
    const spec = {
      type: 'object',
      properties: {
        a: text,
        l: { type: 'array', items: { type: 'object', properties: { k: text } } },
        m: { type: 'object', additionalProperties: { type: 'object', properties: { z: text } } },
      },
    };
    const [object, unknown] = pruned(
      { spec },
      {
        apiVersion: 'v1',
        metadata: { anything: 1 },
        spec: { a: 'x', zz: 1, l: [{ k: 'v', q: 1 }, 5], m: { x: { z: 's', y: 1 } } },
        extra: [1],
      },
    );
    assert.deepEqual(object, {
      apiVersion: 'v1',
      metadata: { anything: 1 },
      spec: { a: 'x', l: [{ k: 'v' }, 5], m: { x: { z: 's' } } },
    });
    assert.deepEqual(unknown, ['extra', 'spec.l[0].q', 'spec.m.x.y', 'spec.zz']);
  });

  it('keeps unknown fields if the schema says so, and prunes inside of known fields', () => {
    const spec = {
      type: 'object',
      'x-orch-preserve-unknown-fields': true,
      properties: { p: { type: 'object', properties: { a: text } } },
    };
    assert.deepEqual(pruned({ spec }, { spec: { p: { a: 'x', b: 1 }, u: { v: [{ w: null }] } } }), [
      { spec: { p: { a: 'x' }, u: { v: [{ w: null }] } } },
      ['spec.p.b'],
    ]);
  });

  it('keeps apiVersion, kind and metadata of embedded objects', () => {
    const e = { type: 'object', 'x-orch-embedded-resource': true, properties: { spec: { type: 'object' } } };
    assert.deepEqual(
      pruned({ e }, { e: { apiVersion: 'v1', kind: 'K', metadata: { name: 'a' }, spec: { b: 1 }, c: 1 } })[0],
      {
        e: { apiVersion: 'v1', kind: 'K', metadata: { name: 'a' }, spec: {} },
      },
    );
  });

  it('removes null from fields that are not nullable, unless they have a default', () => {
    const properties = { a: text, b: { type: 'string', nullable: true }, c: { type: 'string', default: 'd' } };
    const object: JsonObject = { a: null, b: null, c: null };
    assert.equal(pruneNulls(compiled({ type: 'object', properties }), object), true);
    assert.deepEqual(object, { b: null, c: null });
  });

  it('treats names that JavaScript objects inherit as unknown', () => {
    assert.deepEqual(pruned({}, JSON.parse('{"__proto__":{"a":1},"constructor":1}') as JsonObject), [
      {},
      ['__proto__', 'constructor'],
    ]);
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(anySchema(), anyObject(), (raw, value) => {
        const schema = compiled(raw);
        pruneObject(schema, value);
        pruneNulls(schema, value);
        const once = cloneJson(value);
        assert.deepEqual(pruneObject(schema, value, true), []);
        assert.equal(pruneNulls(schema, value), false);
        assert.deepEqual(value, once);
      }),
      { numRuns: 200 },
    );
  });
});

describe('defaults', () => {
  const defaulted = (schema: object, object: JsonObject) => {
    defaultValues(compiled(schema), object);
    return object;
  };

  it('are added to missing fields, even in defaults, items and map values', () => {
    const inner = { type: 'object', properties: { n: { type: 'integer', default: 1 } } };
    const schema = {
      type: 'object',
      properties: {
        o: { ...inner, default: {} },
        l: { type: 'array', items: inner },
        m: { type: 'object', additionalProperties: inner },
        absent: inner,
      },
    };
    assert.deepEqual(defaulted(schema, { l: [{}, { n: 2 }], m: { x: {} } }), {
      l: [{ n: 1 }, { n: 2 }],
      m: { x: { n: 1 } },
      o: { n: 1 },
    });
  });

  it('replace null in fields that are not nullable', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string', default: 'd' }, b: { type: 'string', default: 'd', nullable: true } },
    };
    assert.deepEqual(defaulted(schema, { a: null, b: null }), { a: 'd', b: null });
  });

  it('are copied for each object', () => {
    const schema = compiled({ type: 'object', properties: { o: { type: 'object', default: { l: [] } } } });
    const [a, b]: JsonObject[] = [{}, {}];
    defaultValues(schema, a!);
    defaultValues(schema, b!);
    assert.notEqual(a!.o, b!.o);
  });

  it('change nothing the second time', () => {
    fc.assert(
      fc.property(anySchema(), anyObject(), (raw, value) => {
        const schema = compiled(raw);
        defaultValues(schema, value);
        const once = cloneJson(value);
        defaultValues(schema, value);
        assert.deepEqual(value, once);
      }),
      { numRuns: 200 },
    );
  });
});
