import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { parseJson } from '#base/json/parse.ts';
import { stringify } from '#base/json/stringify.ts';
import { loadSchema } from '../descriptors/load.ts';
import type { FieldType, MessageType, ValueType } from '../descriptors/types.ts';
import { decodeObject } from './decode.ts';
import { normalize } from './normalize.ts';

const schema = loadSchema();
const message = (name: string) => schema.message(name);

describe('the canonical form', () => {
  /** Bodies that a message accepts. Some of their fields are missing or null. */
  function bodies(type: MessageType, depth: number): fc.Arbitrary<JsonValue> {
    const fields: { [name: string]: fc.Arbitrary<JsonValue> } = {};
    for (const field of type.jsonFields) {
      if (depth > 0 || field.message === undefined) fields[field.name] = fieldBodies(field, depth);
    }
    return fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;
  }

  function fieldBodies(field: FieldType, depth: number): fc.Arbitrary<JsonValue> {
    const item = valueBodies(field, depth - 1);
    const value = field.repeated
      ? fc.array(item, { maxLength: 2 })
      : field.map
        ? fc.dictionary(fc.string(), item, { maxKeys: 2 })
        : item;
    return fc.option(value);
  }

  function valueBodies(type: ValueType, depth: number): fc.Arbitrary<JsonValue> {
    switch (type.scalar) {
      case 'string':
        return fc.string({ maxLength: 3 });
      case 'bytes':
        return fc.base64String({ maxLength: 8 });
      case 'bool':
        return fc.boolean();
      case 'int32':
        return fc.integer();
      case 'int64':
        return fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map((n) => parseJson(String(n)).value);
      case 'double':
        return fc.double({ noNaN: true, noDefaultInfinity: true });
      case 'any':
        return fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<JsonValue>;
    }
    const inner = type.message as MessageType;
    switch (inner.jsonForm) {
      case 'object':
        return bodies(inner, depth);
      case 'quantity':
        return fc.constantFrom<JsonValue>('1', '0.5', '1.5Gi', 2, 1.5, '0005');
      case 'int-or-string':
        return fc.constantFrom<JsonValue>(0, 5, '', '25%');
      case 'time':
        return fc.constantFrom('2020-01-01T00:00:00Z', '2020-01-01T00:00:00.5+01:00', '0001-01-01T00:00:00Z');
      case 'micro-time':
        return fc.constantFrom('2020-01-01T00:00:00.000001Z', '0001-01-01T00:00:00.000000Z');
      case 'items':
        return fc.array(fc.string(), { maxLength: 2 });
      case 'schema-or-bool':
        return fc.boolean();
      case 'schema-or-array':
      case 'schema-or-strings':
        return fc.constant([]);
      default:
        return fc.constantFrom<JsonValue>({}, { b: [1], a: null });
    }
  }

  for (const name of [
    'core.v1.ConfigMap',
    'core.v1.Pod',
    'core.v1.Service',
    'apps.v1.StatefulSet',
    'autoscaling.v2.HorizontalPodAutoscaler',
    'rbac.authorization.v1.ClusterRole',
    'coordination.v1.Lease',
    'authorization.v1.SubjectAccessReview',
    'apiextensions.v1.CustomResourceDefinition',
  ]) {
    it(`of ${name} stays the same when it is decoded or normalized again`, () => {
      const type = message(name);
      fc.assert(
        fc.property(bodies(type, 4), (body) => {
          const form = decodeObject(type, body);
          const text = stringify(form);
          assert.equal(stringify(decodeObject(type, form)), text);
          assert.equal(stringify(normalize(type, form)), text);
          assert.equal(stringify(decodeObject(type, parseJson(text).value)), text);
        }),
        { numRuns: 50 },
      );
    });
  }

  it('treats undefined as absent', () => {
    const object = {
      metadata: { name: 'x', labels: undefined, generation: 0 },
      data: { b: '', a: undefined },
      immutable: undefined,
    };
    assert.equal(
      stringify(normalize(message('core.v1.ConfigMap'), object)),
      '{"metadata":{"name":"x","creationTimestamp":null},"data":{"b":""}}',
    );
  });
});
