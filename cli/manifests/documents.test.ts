import assert from 'node:assert/strict';
import { objectsIn } from './documents.ts';
import { parseYamlDocuments } from './parse-yaml.ts';

const decode = (what: string) => `unable to decode "f": ${what}`;
const validate = (what: string) =>
  `error validating "f": error validating data: ${what}; if you choose to ignore these errors, turn validation off with --validate=false`;

/** Documents that are not objects. Each has the error for reading, and the error for storing. */
const mistakes: readonly (readonly [document: string, decoding: string, validating?: string])[] = [
  ['apiVersion: v1', `Object 'Kind' is missing in '{"apiVersion":"v1"}'`, 'kind not set'],
  ['a: b', `Object 'Kind' is missing in '{"a":"b"}'`, '[apiVersion not set, kind not set]'],
  ['{apiVersion: v1, kind: 5}', `Object 'Kind' is missing in '{"apiVersion":"v1","kind":5}'`, `kind isn't string type`],
  [
    '{apiVersion: a/b/c, kind: X}',
    `Object 'Kind' is missing in '{"apiVersion":"a/b/c","kind":"X"}'`,
    'unexpected GroupVersion string: a/b/c',
  ],
  [
    '{apiVersion: 5, kind: X}',
    'json: cannot unmarshal number into Go struct field metadataOnlyObject.apiVersion of type string',
    `apiVersion isn't string type`,
  ],
  ['- a', 'json: cannot unmarshal array into Go value of type unstructured.detector', 'invalid object to validate'],
  ['text', 'json: cannot unmarshal string into Go value of type unstructured.detector', 'invalid object to validate'],
  ['5', 'json: cannot unmarshal number into Go value of type unstructured.detector', 'invalid object to validate'],
  [
    '{apiVersion: v1, kind: X, metadata: [a]}',
    'json: cannot unmarshal array into Go struct field metadataOnlyObject.metadata of type v1.ObjectMeta',
  ],
  [
    '{apiVersion: v1, kind: X, metadata: {name: 5}}',
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
  ],
  [
    '{apiVersion: v1, kind: X, metadata: {namespace: true}}',
    'json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.namespace of type string',
  ],
  [
    '{apiVersion: v1, kind: X, metadata: {labels: {a: 1}}}',
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
  ],
  [
    '{apiVersion: v1, kind: X, metadata: {annotations: a}}',
    'json: cannot unmarshal string into Go struct field ObjectMeta.metadata.annotations of type map[string]string',
  ],
  [
    '{apiVersion: v1, kind: List, items: 5}',
    'json: cannot unmarshal number into Go struct field decodeList.items of type []json.RawMessage',
    'invalid object to validate',
  ],
  [
    '{apiVersion: v1, kind: List, items: [5]}',
    'json: cannot unmarshal number into Go value of type map[string]interface {}',
    'invalid object to validate',
  ],
];

/** Documents, with the kinds and names of their objects. */
const documents: readonly (readonly [document: string, objects: readonly string[]])[] = [
  ['', []],
  ['{apiVersion: v1, kind: X, metadata: {name: a}}', ['X a']],
  ['{apiVersion: v1, kind: X}', ['X undefined']],
  ['{apiVersion: v1, kind: X, metadata: null}', ['X undefined']],
  ['{apiVersion: v1, kind: XList, items: null}', []],
  ['{apiVersion: v1, kind: AllowList, metadata: {name: a}}', ['AllowList a']],
  [
    '{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: ZList, items: [{apiVersion: v1, kind: Z, metadata: {name: b}}]}]}',
    ['Z b'],
  ],
];

describe('objectsIn', () => {
  const read = (document: string, validated: boolean) =>
    objectsIn(parseYamlDocuments(document, 'f')[0], { source: 'f', validated });
  for (const [document, decoding, validating] of mistakes)
    it(document, () => {
      assert.throws(() => read(document, false), { message: decode(decoding) });
      assert.throws(() => read(document, true), {
        message: validating === undefined ? decode(decoding) : validate(validating),
      });
    });
  for (const [document, objects] of documents)
    it(document || 'nothing', () =>
      assert.deepEqual(
        read(document, true).map(({ kind, metadata }) => `${kind} ${metadata.name}`),
        objects,
      ),
    );
});
