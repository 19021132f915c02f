import assert from 'node:assert/strict';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { latestRelease } from '#base/release/release.ts';
import { objectSchemaOf } from '#schema/apply/apply-type.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import { Evaluator } from '../../expressions/admission/evaluator.ts';
import { valueOfJson } from '../../expressions/json-values.ts';
import { applyFields } from './apply-mutation.ts';
import { readMutatingPolicy } from './mutating-policy.ts';
import { carryOut } from './patch-mutation.ts';

const pod = objectSchemaOf(loadSchema(createNaming('orch'), latestRelease).kind('', 'v1', 'Pod')!);
const LIVE = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'a', labels: { x: 'y' } },
  spec: { containers: [{ name: 'c', image: 'i', args: ['p'] }] },
} satisfies JsonObject;

/** The object after a mutation, or the error. */
function changed(patchType: string, expression: string): JsonValue {
  const spec = { mutations: [{ patchType, applyConfiguration: { expression }, jsonPatch: { expression } }] };
  const { mutations } = readMutatingPolicy({ metadata: { name: 'p' }, spec }).program();
  const evaluator = new Evaluator(() => valueOfJson(LIVE), [], 1_000_000);
  const result = evaluator.evaluate(mutations[0]!.expression);
  if ('error' in result) return result.error;
  const before = JSON.stringify(LIVE);
  try {
    const made = patchType === 'JSONPatch' ? carryOut(LIVE, result.value) : applyFields(LIVE, result.value, pod);
    const { kind: _kind, apiVersion: _version, ...rest } = made;
    return rest;
  } catch (error) {
    return (error as Error).message;
  } finally {
    assert.equal(JSON.stringify(LIVE), before, 'the object itself stays as it is');
  }
}

const { metadata, spec } = LIVE;
const container = spec.containers[0]!;

const APPLIED: [expression: string, made: JsonValue][] = [
  ['Object{}', { metadata, spec }],
  [
    "Object{metadata: Object.metadata{labels: {'m': object.metadata.name, 'x': 'z'}}}",
    { metadata: { ...metadata, labels: { x: 'z', m: 'a' } }, spec },
  ],
  [
    "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'c', image: 'j'}, Object.spec.containers{name: 'd'}]}}",
    { metadata, spec: { containers: [{ ...container, image: 'j' }, { name: 'd' }] } },
  ],
  [
    "Object{spec: Object.spec{nodeSelector: {'a': 'b'}, containers: [Object.spec.containers{name: 'c', args: ['q']}]}}",
    'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.containers[0].args, .spec.nodeSelector',
  ],
  [
    'Object{spec: Object.spec{nosuch: 1}}',
    'error applying patch: failed to convert patch object to typed object: .spec.nosuch: field not declared in schema',
  ],
  [
    "Object{metadata: Object.metadata{labels: {'a': 1}}}",
    'error applying patch: failed to convert patch object to typed object: .metadata.labels.a: expected string, got number',
  ],
  [
    'Object{metadata: Object.spec{}}',
    'type mismatch: unexpected type name "Object.spec", expected "Object.metadata", which matches field name path from root Object type',
  ],
  [
    'Object{spec: Object.spec{containers: [Object.spec{}]}}',
    'type mismatch: unexpected type name "Object.spec", expected "Object.spec.containers", which matches field name path from root Object type',
  ],
  ['has(object.nosuch) ? Object{} : null', 'unsupported return type from ApplyConfiguration expression: null_type'],
  [
    'Object{metadata: object.nosuch}',
    "expression 'Object{metadata: object.nosuch}' resulted in error: no such key: nosuch",
  ],
];

const PATCHED: [expression: string, made: JsonValue][] = [
  ["[JSONPatch{op: 'remove', path: '/metadata/labels/x'}]", { metadata: { name: 'a', labels: {} }, spec }],
  [
    "[JSONPatch{op: 'add', path: '/spec/containers/-', value: Object.spec.containers{name: 'd'}}]",
    { metadata, spec: { containers: [container, { name: 'd' }] } },
  ],
  [
    "[JSONPatch{op: 'copy', from: '/metadata/name', path: '/metadata/uid'}, JSONPatch{op: 'test', path: '/metadata/uid', value: 'b'}]",
    { metadata, spec },
  ],
  ["[JSONPatch{op: 'test', path: '/metadata/name', value: object.metadata.name}]", { metadata, spec }],
  [
    "[JSONPatch{op: 'move', from: '/spec/m', path: '/spec/n'}]",
    "JSON Patch: error in move for path: 'm': Unable to remove nonexistent key: m: missing value",
  ],
  [
    "[JSONPatch{op: 'test', path: '/a/b', value: 1}]",
    'JSON Patch: read operation does not apply: doc is missing path: "/a/b": missing value',
  ],
  ["[JSONPatch{op: 'wrong'}]", 'JSON Patch: Unexpected kind: wrong'],
  [
    "[JSONPatch{op: 'add', path: '/spec', value: Object.a{b: Object.c{}}}]",
    'type mismatch: unexpected type name "Object.c", expected "Object.a.b", which matches field name path from root Object type',
  ],
  [
    "[JSONPatch{op: 'replace', path: '/kind', value: 'Secret'}]",
    'Internal error occurred: failed to convert object: converting (v1.Secret) to (core.Pod): unknown conversion',
  ],
];

describe('mutations of a MutatingAdmissionPolicy', () => {
  for (const [expression, made] of APPLIED)
    it(`apply ${expression}`, () => assert.deepEqual(changed('ApplyConfiguration', expression), made));
  for (const [expression, made] of PATCHED)
    it(`patch with ${expression}`, () => assert.deepEqual(changed('JSONPatch', expression), made));

  it('have no types for kinds of other groups', () => {
    const evaluator = new Evaluator(() => null, [], 1_000_000);
    const program = {
      mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression: 'Object{}' } }],
    };
    const { mutations } = readMutatingPolicy({ metadata: { name: 'p' }, spec: program }).program();
    const result = evaluator.evaluate(mutations[0]!.expression) as { value: never };
    assert.throws(() => applyFields(LIVE, result.value, undefined), /no corresponding type for v1, Kind=Pod/);
  });
});
