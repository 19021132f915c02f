import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseWithoutManagers } from './parse-without-managers.ts';

const owned = (fields: object): object => ({
  manager: 'm',
  operation: 'Update',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1: fields,
});

const table: readonly [what: string, body: string, read: string][] = [
  [
    'reads an object without managedFields',
    '{"metadata":{"name":"a"},"spec":{}}',
    '{"metadata":{"name":"a"},"spec":{}}',
  ],
  [
    'leaves out the managedFields',
    '{"metadata":{"name":"a","managedFields":[{"fieldsV1":{"f:spec":{}}},{"manager":"m"}]},"spec":{"n":1}}',
    '{"metadata":{"name":"a"},"spec":{"n":1}}',
  ],
  [
    'keeps the managedFields of an object that has only metadata',
    '{"metadata":{"name":"a","managedFields":[{"manager":"m"}]}}',
    '{"metadata":{"name":"a","managedFields":[{"manager":"m"}]}}',
  ],
  [
    'keeps managedFields that are not the last field of the metadata',
    '{"metadata":{"name":"a","managedFields":[{"manager":"m"}],"z":"z"},"spec":{"l":[1]},"status":{}}',
    '{"metadata":{"name":"a","managedFields":[{"manager":"m"}],"z":"z"},"spec":{"l":[1]},"status":{}}',
  ],
  [
    'keeps managedFields if a key in them looks like their end',
    '{"metadata":{"name":"a","managedFields":[{"fieldsV1":{"f:]},":{},"f:b":{}}}]},"spec":{}}',
    '{"metadata":{"name":"a","managedFields":[{"fieldsV1":{"f:]},":{},"f:b":{}}}]},"spec":{}}',
  ],
];

describe('parseWithoutManagers', () => {
  for (const [what, body, read] of table) {
    it(what, () => assert.deepEqual(parseWithoutManagers(Buffer.from(body)), JSON.parse(read)));
  }

  it('reads everything except managedFields, for any content', () => {
    const odd = fc.string({ unit: fc.constantFrom(']', '}', '{', '[', ',', '"', '\\', ':', 'a'), maxLength: 8 });
    const record = fc.dictionary(odd, fc.oneof(odd, fc.array(odd, { maxLength: 2 })), { noNullPrototype: true });
    const fields = fc.dictionary(
      odd.map((name) => `f:${name}`),
      fc.constant({}),
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(record, odd, fc.array(fields, { maxLength: 3 }), record, (labels, name, managers, spec) => {
        const metadata = { name, labels };
        const stored = { metadata: { ...metadata, managedFields: managers.map(owned) }, spec };
        const read = parseWithoutManagers(Buffer.from(JSON.stringify(stored)));
        const { managedFields: _, ...unowned } = read.metadata;
        assert.deepEqual({ ...read, metadata: unowned }, { metadata, spec });
      }),
      { numRuns: 1000 },
    );
  });
});
