import assert from 'node:assert/strict';
import type { FieldError } from '#base/errors/field-error.ts';
import { FieldPath } from '#base/errors/field-error.ts';
import type { ObjectMeta, OwnerReference } from '../objects/api-object.ts';
import { validateFieldManager } from './field-manager.ts';
import { subdomainName } from './names.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from './object-meta.ts';

const OWNER: OwnerReference = { apiVersion: 'v1', kind: 'Pod', name: 'x', uid: 'u' };
const rules = {
  namespaced: true,
  validateName: subdomainName,
  standardFinalizers: ['orphan', 'foregroundDeletion', 'product'],
};

/** Errors by field, with the end of the message. */
function brief(errors: FieldError[]): string[] {
  return errors.map(({ field, body }) => `${field}: ${body.split(': ').at(-1)}`.slice(0, 90));
}

/** The case, metadata besides name and namespace, and the start of every error. */
const ROWS: [what: string, meta: ObjectMeta, errors: string[]][] = [
  ['nothing else', {}, []],
  ['a generated name', { name: 'a-x', generateName: 'a-' }, []],
  ['no name', { name: '' }, ['metadata.name: name or generateName is required']],
  ['a name with capitals', { name: 'A' }, ['metadata.name: a lowercase RFC 1123 subdomain']],
  ['an invalid generateName', { generateName: 'Bad.' }, ['metadata.generateName: a lowercase RFC 1123 subdomain']],
  ['no namespace', { namespace: '' }, ['metadata.namespace: Required value']],
  ['an invalid namespace', { namespace: 'a.b' }, ['metadata.namespace: a lowercase RFC 1123 label']],
  ['a negative generation', { generation: -1 }, ['metadata.generation: must be greater than or equal to 0']],
  ['an invalid label key', { labels: { 'a b': 'c' } }, ['metadata.labels: name part must consist']],
  ['an invalid label value', { labels: { a: '-b' } }, ['metadata.labels: a valid label must be']],
  ['an annotation with any value', { annotations: { 'Mixed.IO/Key': 'any value! \n ok' } }, []],
  ['an invalid annotation key', { annotations: { 'a b': 'c' } }, ['metadata.annotations: name part must consist']],
  [
    'annotations that are too large',
    { annotations: { a: 'x'.repeat(262_144) } },
    ['metadata.annotations: must have at most 262144 bytes'],
  ],
  ['annotations at the size limit', { annotations: { a: 'x'.repeat(262_143) } }, []],
  ['standard finalizers', { finalizers: ['product', 'orphan', 'x.io/a'] }, []],
  [
    'a finalizer without a domain',
    { finalizers: ['x'] },
    ['metadata.finalizers[0]: name is neither a standard finalizer'],
  ],
  [
    'an invalid finalizer',
    { finalizers: ['bad finalizer'] },
    ['metadata.finalizers: name part must consist', 'metadata.finalizers[0]: name is neither a standard finalizer'],
  ],
  [
    'contradicting finalizers',
    { finalizers: ['orphan', 'foregroundDeletion'] },
    ['metadata.finalizers: finalizer orphan and'],
  ],
  ['an owner', { ownerReferences: [{ ...OWNER, controller: true }, OWNER] }, []],
  [
    'an owner without a uid',
    { ownerReferences: [{ ...OWNER, uid: '' }] },
    ['metadata.ownerReferences.uid: uid must not be empty'],
  ],
  [
    'an owner without any field',
    { ownerReferences: [{} as OwnerReference] },
    [
      'metadata.ownerReferences.apiVersion: version must not be empty',
      'metadata.ownerReferences.kind: kind must not be empty',
      'metadata.ownerReferences.name: name must not be empty',
      'metadata.ownerReferences.uid: uid must not be empty',
    ],
  ],
  [
    'an owner without a version',
    { ownerReferences: [{ ...OWNER, apiVersion: 'a/b/c' }] },
    ['metadata.ownerReferences.apiVersion: version'],
  ],
  [
    'an event as an owner',
    { ownerReferences: [{ ...OWNER, kind: 'Event' }] },
    ['metadata.ownerReferences: /v1, Kind=Event is disallowed'],
  ],
  [
    'two controllers',
    {
      ownerReferences: [
        { ...OWNER, controller: true },
        { ...OWNER, name: 'y', controller: true },
      ],
    },
    ['metadata.ownerReferences: Only one reference can have Controller set to true. Found'],
  ],
  [
    'managed fields',
    { managedFields: [{ operation: 'Apply' }, { operation: 'Patch', fieldsType: 'X' }] },
    [
      'metadata.managedFields[1].operation: must be `Apply` or `Update`',
      'metadata.managedFields[1].fieldsType: must be `FieldsV1`',
    ],
  ],
];

const OLD: ObjectMeta = {
  name: 'a',
  namespace: 'n',
  uid: 'u',
  resourceVersion: '1',
  generation: 2,
  finalizers: ['x.io/a'],
};

/** The case, the differences of the old and of the new metadata from the usual one, and the start of every error. */
const UPDATES: [what: string, old: ObjectMeta, change: ObjectMeta, errors: string[]][] = [
  ['nothing', {}, {}, []],
  [
    'a missing resource version',
    {},
    { resourceVersion: '' },
    ['metadata.resourceVersion: must be specified for an update'],
  ],
  ['a name', {}, { name: 'b' }, ['metadata.name: field is immutable']],
  ['a namespace', {}, { namespace: 'm' }, ['metadata.namespace: field is immutable']],
  ['a uid', {}, { uid: 'v' }, ['metadata.uid: field is immutable']],
  ['no uid', {}, { uid: '' }, []],
  ['a creation time', {}, { creationTimestamp: '2020-01-01T00:00:00Z' }, []],
  [
    'a deletion time',
    {},
    { deletionTimestamp: '2020-01-01T00:00:00Z' },
    ['metadata.deletionTimestamp: field is immutable'],
  ],
  ['a lower generation', {}, { generation: 1 }, ['metadata.generation: must not be decremented']],
  ['labels', {}, { labels: { 'a b': '' } }, ['metadata.labels: name part must consist']],
  ['an added finalizer', {}, { finalizers: ['x.io/a', 'x.io/b'] }, []],
  ['an added finalizer without a domain', {}, { finalizers: ['x'] }, ['metadata.finalizers[0]: name is neither']],
  [
    'a finalizer added while the object is being deleted',
    { deletionTimestamp: '2020-01-01T00:00:00Z' },
    { finalizers: ['x.io/a', 'x.io/new'] },
    ['metadata.finalizers: no new finalizers can be added'],
  ],
  [
    'a finalizer removed while the object is being deleted',
    { deletionTimestamp: '2020-01-01T00:00:00Z' },
    { finalizers: [] },
    [],
  ],
];

describe('metadata validation', () => {
  for (const [what, meta, errors] of ROWS) {
    it(what, () => expectErrors(validateObjectMeta({ name: 'a', namespace: 'n', ...meta }, rules), errors));
  }

  it('refuses a namespace for a cluster-wide kind', () => {
    const errors = validateObjectMeta({ name: 'a', namespace: 'n' }, { ...rules, namespaced: false });
    expectErrors(errors, ['metadata.namespace: not allowed on this type']);
  });

  it('allows any finalizer name for a kind without standard finalizers', () => {
    const { namespaced, validateName } = rules;
    const meta = { name: 'a', namespace: 'n', finalizers: ['x'] };
    expectErrors(validateObjectMeta(meta, { namespaced, validateName }), []);
  });

  for (const [what, old, change, errors] of UPDATES) {
    it(`on update of ${what}`, () => {
      expectErrors(validateObjectMetaUpdate({ ...OLD, ...change }, { ...OLD, ...old }, rules), errors);
    });
  }

  it('lists the finalizers that cannot be added to an object that is being deleted', () => {
    const old = { ...OLD, deletionTimestamp: '2020-01-01T00:00:00Z' };
    const [error] = validateObjectMetaUpdate({ ...OLD, finalizers: ['x.io/new', 'x.io/more'] }, old);
    const rule = 'no new finalizers can be added if the object is being deleted';
    assert.equal(error?.body, `Forbidden: ${rule}, found new finalizers []string{"x.io/more", "x.io/new"}`);
  });

  it('allows only printable names of field managers', () => {
    const path = new FieldPath('fieldManager');
    assert.deepEqual(validateFieldManager('some tool-ß', path), []);
    expectErrors(validateFieldManager('\u0007ell', path), ['fieldManager: invalid character U+0007 (at position 0)']);
    expectErrors(validateFieldManager('ß\u200b', path), ['fieldManager: invalid character U+200B (at position 2)']);
    expectErrors(validateFieldManager('x'.repeat(129), path), ['fieldManager: must have at most 128 bytes']);
  });
});

function expectErrors(errors: FieldError[], starts: string[]): void {
  const found = brief(errors);
  assert.deepEqual(
    found.map((text, i) => text.slice(0, starts[i]?.length ?? text.length)),
    starts,
  );
}
