import assert from 'node:assert/strict';
import fc from 'fast-check';
import { FieldPath } from '#base/errors/field-error.ts';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { defaultRelease } from '#base/release/release.ts';
import { atOnce } from '#base/time/steps.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { JSONSchemaProps } from '#schema/generated/apiextensions.v1.ts';
import { defaultValues } from '../schema/default-values.ts';
import { pruneObject } from '../schema/prune.ts';
import { createReadMetadata } from '../schema/read-metadata.ts';
import { anyObject, compiled, enoughWork } from '../schema/testing/schemas.ts';
import { validateValue } from '../schema/validate-value.ts';
import { validateSchema } from './validate-schema.ts';

const naming = createNaming('orch');
const context = {
  prefix: naming.extensionPrefix,
  readMetadata: createReadMetadata(loadSchema(naming).message('meta.v1.ObjectMeta')),
  release: defaultRelease,
  namePrefix: undefined,
  oldExpressions: new Set<string>(),
  isUnchanged: false,
};

/** Whether a definition may have a schema. */
function isAccepted(schema: JSONSchemaProps): boolean {
  return atOnce(validateSchema(schema, new FieldPath('spec'), false, context)).length === 0;
}

/** Without the defaults of additional properties, which are not checked when a definition is written. */
function withoutDefaults<T>(schema: T): T {
  return JSON.parse(JSON.stringify(schema), function (name, value) {
    return name === 'default' && typeof (this as JSONSchemaProps).type === 'string' ? undefined : value;
  });
}

/** Schemas with limits, and with defaults inside or outside of these limits. */
function boundSchema(): fc.Arbitrary<JSONSchemaProps> {
  const defaults = fc.constantFrom<JsonValue>(
    '',
    'a',
    'aaaa',
    0,
    1,
    7,
    true,
    null,
    {},
    { a: 'a' },
    { a: 1 },
    [],
    ['a'],
    [{}],
  );
  const { schema } = fc.letrec<{ schema: object; object: object }>((tie) => ({
    object: fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'), { maxKeys: 3 }),
        required: fc.constantFrom(['a'], ['b']),
        default: defaults,
        nullable: fc.boolean(),
      },
      { requiredKeys: ['type', 'properties'] },
    ),
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.record(
        {
          type: fc.constant('string'),
          maxLength: fc.constantFrom(0, 3),
          pattern: fc.constantFrom('^a*$', '^b$'),
          enum: fc.constant(['a', 'b']),
          default: defaults,
          nullable: fc.boolean(),
        },
        { requiredKeys: ['type'] },
      ),
      fc.record(
        {
          type: fc.constant('integer'),
          minimum: fc.constantFrom(1, 5),
          maximum: fc.constantFrom(3, 9),
          default: defaults,
        },
        { requiredKeys: ['type'] },
      ),
      tie('object'),
      fc.record(
        { type: fc.constant('array'), items: tie('schema'), minItems: fc.constant(1), default: defaults },
        { requiredKeys: ['type', 'items'] },
      ),
      fc.record({ type: fc.constant('object'), additionalProperties: tie('schema').map(withoutDefaults) }),
    ),
  }));
  return fc
    .dictionary(fc.constantFrom('a', 'b', 'c'), schema, { maxKeys: 3 })
    .map((properties) => ({ type: 'object', properties }) as JSONSchemaProps);
}

describe('defaults of accepted schemas', () => {
  it('do not make a valid object invalid', function () {
    this.timeout(60_000);
    let filled = 0;
    fc.assert(
      fc.property(boundSchema(), fc.oneof(fc.constant<JsonObject>({}), anyObject()), (raw, value) => {
        fc.pre(isAccepted(raw));
        const schema = compiled(raw);
        pruneObject(schema, value);
        const before = atOnce(validateValue(schema, value, enoughWork())).map(({ field }) => field);
        if (defaultValues(schema, value)) filled++;
        const fresh = atOnce(validateValue(schema, value, enoughWork())).filter(({ field }) => !before.includes(field));
        assert.deepEqual(fresh, []);
        assert.deepEqual(pruneObject(schema, value, true), [], 'known to the schema');
      }),
      { numRuns: 300, interruptAfterTimeLimit: 5_000, maxSkipsPerRun: 1_000 },
    );
    assert.ok(filled > 0);
  });
});

describe('a default that is an object with metadata', () => {
  it('is converted to canonical form anywhere in the schema', () => {
    const embedded = (): JSONSchemaProps => ({
      type: 'object',
      'x-orch-embedded-resource': true,
      'x-orch-preserve-unknown-fields': true,
      default: { apiVersion: 'v1', kind: 'A', metadata: { name: 'a', nosuch: 1 } },
    });
    const properties = { a: embedded(), b: embedded() };
    assert.ok(isAccepted({ type: 'object', properties }));
    for (const { default: value } of Object.values(properties)) {
      assert.deepEqual(value, { apiVersion: 'v1', kind: 'A', metadata: { name: 'a' } });
    }
  });
});
