import assert from 'node:assert/strict';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { mergeTolerations } from '../admission/tolerations.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { StoredServedResource } from '../api/served-resource.ts';
import { countOperations } from '../testing/count-operations.ts';
import { deletionStep } from './deletion.ts';
import { mergeRepeatedOwners } from './repeated-owners.ts';

const LENGTH = 500;
const MOST_GROWTH = 2.3;

const served = { type: {}, stored: { rules: {} } } as StoredServedResource;
const context = { warnings: { add: () => {} } } as unknown as RequestContext;

const ASKED = {
  gracePeriodSeconds: undefined,
  preconditions: {},
  propagation: undefined,
  dryRun: false,
};

function objectWith(metadata: ApiObject['metadata']): ApiObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata };
}

function listOf<T>(length: number, make: (i: number) => T): T[] {
  return Array.from({ length }, (_, i) => make(i));
}

const rows: readonly (readonly [what: string, work: (length: number) => void])[] = [
  [
    'finalizers of a deleted object',
    (length) => void deletionStep(served, objectWith({ finalizers: listOf(length, (i) => `a/f${i}`) }), ASKED, 0),
  ],
  [
    'references to one owner that differ',
    (length) => {
      const ownerReferences = listOf(length, (i) => ({ apiVersion: 'v1', kind: 'Node', name: `n${i}`, uid: 'u' }));
      mergeRepeatedOwners(objectWith({ ownerReferences }), context, false);
    },
  ],
  [
    'tolerations of a pod and a default',
    (length) => {
      const tolerations = listOf(length, (i) => ({ key: `k${i}`, operator: 'Equal', value: 'x' }));
      mergeTolerations(tolerations, tolerations);
    },
  ],
];

describe('work of every write grows with the length of', () => {
  for (const [what, work] of rows)
    it(what, () => {
      work(1);
      const [once, twice] = [LENGTH, 2 * LENGTH].map((length) => countOperations(() => work(length)));
      assert.ok(twice! < once! * MOST_GROWTH, `${once} operations, and ${twice} for twice the length`);
    });
});
