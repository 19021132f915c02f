import fc from 'fast-check';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { JSONSchemaProps } from '#schema/generated/apiextensions.v1.ts';
import { CheckWork } from '../check-work.ts';
import { compileSchema } from '../compile-schema.ts';
import type { StructuralSchema } from '../structural-schema.ts';

const NAMES = ['a', 'b', 'c', 'metadata', '__proto__'];

/** Schemas of objects with a few levels. They have the features that pruning and defaults use. */
export function anySchema(): fc.Arbitrary<JSONSchemaProps> {
  const { schema } = fc.letrec<{ schema: JSONSchemaProps; object: JSONSchemaProps }>((tie) => ({
    object: fc.record(
      {
        type: fc.constant('object'),
        properties: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'), { maxKeys: 3 }),
        nullable: fc.boolean(),
        'x-orch-preserve-unknown-fields': fc.constant(true),
        'x-orch-embedded-resource': fc.boolean(),
        default: fc.constant({} as JsonValue),
      },
      { requiredKeys: ['type'] },
    ) as fc.Arbitrary<JSONSchemaProps>,
    schema: fc.oneof(
      { depthSize: 'small' },
      fc.record(
        { type: fc.constant('string'), default: fc.constant('d' as JsonValue), nullable: fc.boolean() },
        { requiredKeys: ['type'] },
      ) as fc.Arbitrary<JSONSchemaProps>,
      tie('object'),
      tie('schema').map((items) => ({ type: 'array', items }) as JSONSchemaProps),
      tie('schema').map((values) => ({ type: 'object', additionalProperties: values }) as JSONSchemaProps),
    ),
  }));
  return fc
    .dictionary(fc.constantFrom('a', 'b', 'c'), schema, { maxKeys: 3 })
    .map((properties) => ({ type: 'object', properties }) as JSONSchemaProps);
}

/** Objects that may or may not fit such schemas. */
export function anyObject(): fc.Arbitrary<JsonObject> {
  const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<JsonValue>(null, 1, 'x', true),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  return fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 4, noNullPrototype: true });
}

/** A schema in the form of definitions, in the neutral naming. */
export function compiled(schema: object): StructuralSchema {
  return compileSchema(schema as JSONSchemaProps, 'x-orch-');
}

/** A budget that is large enough for every test. */
export function enoughWork(): CheckWork {
  return new CheckWork(1e9);
}
