import assert from 'node:assert/strict';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asObject } from '#schema/objects/as-json.ts';
import type { KindRules } from '../api/resource-definition.ts';
import type { StoredServedResource } from '../api/served-resource.ts';
import type { DeleteOptions } from './delete-options.ts';
import { deletionStep } from './deletion.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const BEFORE = '2025-12-31T23:00:00Z';
const IN_30_SECONDS = '2026-01-01T00:00:30Z';

const RULES: Record<string, Partial<KindRules>> = {
  plain: {},
  graceful: { gracePeriodSeconds: (_object, requested) => requested ?? 30 },
  marked: {
    holdsDeletion: ({ spec }) => (spec as { held?: boolean } | undefined)?.held === true,
    markDeleted: (object) => {
      object['status'] = { phase: 'Terminating' };
    },
  },
};

type Metadata = Partial<ApiObject['metadata']>;

const DELETED: Metadata = { deletionTimestamp: BEFORE, deletionGracePeriodSeconds: 0 };
const RUNNING: Metadata = { deletionTimestamp: IN_30_SECONDS, deletionGracePeriodSeconds: 30 };
const background: Partial<DeleteOptions> = { propagation: 'Background' };
const foreground: Partial<DeleteOptions> = { propagation: 'Foreground' };
const grace = (gracePeriodSeconds: number): Partial<DeleteOptions> => ({ gracePeriodSeconds });

interface Row {
  what: string;
  rules: keyof typeof RULES;
  before: Metadata;
  held?: boolean;
  options?: Partial<DeleteOptions>;
  step: 'remove' | 'pending' | 'mark' | 'mark and remove';
  after?: Metadata;
}

const ROWS: Row[] = [
  { what: 'an object', rules: 'plain', before: {}, step: 'remove' },
  {
    what: 'an object with finalizers',
    rules: 'plain',
    before: { finalizers: ['a'], generation: 1 },
    step: 'mark',
    after: {
      finalizers: ['a'],
      generation: 2,
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
    },
  },
  {
    what: 'an object with a finalizer of a propagation policy that is no longer requested',
    rules: 'plain',
    before: { finalizers: ['orphan'] },
    options: background,
    step: 'mark and remove',
    after: {},
  },
  {
    what: 'an object in deletion, by the same policy, with finalizers in another order',
    rules: 'plain',
    before: { ...DELETED, finalizers: ['foregroundDeletion', 'a'] },
    options: foreground,
    step: 'pending',
  },
  {
    what: 'an object in deletion, by another policy',
    rules: 'plain',
    before: { ...DELETED, finalizers: ['foregroundDeletion', 'a'] },
    options: background,
    step: 'mark',
    after: { ...DELETED, finalizers: ['a'] },
  },
  {
    what: 'an object in its grace period, by another policy',
    rules: 'graceful',
    before: { ...RUNNING, finalizers: ['foregroundDeletion'] },
    options: background,
    step: 'pending',
  },
  {
    what: 'an object in its grace period, with a longer period',
    rules: 'graceful',
    before: RUNNING,
    options: grace(40),
    step: 'pending',
  },
  {
    what: 'an object in its grace period, with a shorter period',
    rules: 'graceful',
    before: { ...RUNNING, generation: 2 },
    options: grace(10),
    step: 'mark',
    after: { deletionTimestamp: '2026-01-01T00:00:10Z', deletionGracePeriodSeconds: 10, generation: 2 },
  },
  {
    what: 'an object in its grace period, with period 0',
    rules: 'graceful',
    before: RUNNING,
    options: grace(0),
    step: 'mark and remove',
    after: { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 0 },
  },
  { what: 'an object after its grace period', rules: 'graceful', before: DELETED, step: 'remove' },
  {
    what: 'an object of a kind with its own deletion status',
    rules: 'marked',
    before: {},
    step: 'mark',
    after: { deletionTimestamp: '2026-01-01T00:00:00Z' },
  },
  {
    what: 'an object of such a kind whose content prevents removal, by another policy',
    rules: 'marked',
    before: { deletionTimestamp: BEFORE },
    held: true,
    options: { propagation: 'Orphan' },
    step: 'pending',
  },
  {
    what: 'an object of such a kind with finalizers only',
    rules: 'marked',
    before: { deletionTimestamp: BEFORE, finalizers: ['a'] },
    step: 'mark',
    after: { ...DELETED, finalizers: ['a'] },
  },
  {
    what: 'an object of such a kind that nothing holds',
    rules: 'marked',
    before: { deletionTimestamp: BEFORE },
    step: 'remove',
  },
];

describe('deletionStep of', () => {
  for (const { what, rules, before, held, options, step, after } of ROWS) {
    it(`${what} (${rules}): ${step}`, () => {
      const object = asObject({ metadata: structuredClone(before), spec: { held: held === true } });
      const served = {
        stored: { rules: RULES[rules] },
        type: { orphanByDefault: false },
      } as unknown as StoredServedResource;
      const asked = { gracePeriodSeconds: undefined, preconditions: {}, propagation: undefined, dryRun: false };
      const made = deletionStep(served, object, { ...asked, ...options }, NOW);
      const kind = made.kind === 'mark' && made.thenRemove ? 'mark and remove' : made.kind;
      assert.equal(kind, step);
      assert.deepEqual(object.metadata, after ?? before);
    });
  }
});
