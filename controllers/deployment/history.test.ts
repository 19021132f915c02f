import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import type { Deployment, ReplicaSet } from '#schema/generated/apps.v1.ts';
import { freshAnnotations, freshSet, superfluousSets } from './history.ts';

const naming = createNaming('orch');
const REVISION = 'deployment.orch.io/revision';
const HISTORY = 'deployment.orch.io/revision-history';

const template = (image: string, hash?: string) => ({
  metadata: { labels: { app: 'web', ...(hash === undefined ? {} : { 'pod-template-hash': hash }) } },
  spec: { containers: [{ name: 'c', image }] },
});

function set(name: string, revision: number, more: object = {}): ReplicaSet {
  return {
    metadata: {
      name,
      generation: 1,
      creationTimestamp: '2024-05-01T12:00:00Z',
      annotations: { [REVISION]: String(revision) },
    },
    spec: { replicas: 0, selector: null, template: template(name, name) },
    status: { replicas: 0, observedGeneration: 1 },
    ...more,
  } as unknown as ReplicaSet;
}

const deployment = (image: string, annotations = {}, revisionHistoryLimit?: number) =>
  ({ metadata: { annotations }, spec: { template: template(image), revisionHistoryLimit } }) as unknown as Deployment;

describe('revision history of a deployment', () => {
  it('finds the replica set of the current template, even with another hash', () => {
    const sets = [set('a', 1), set('b', 2)];
    assert.equal(freshSet(deployment('b'), sets)?.metadata.name, 'b');
    assert.equal(freshSet(deployment('c'), sets), undefined);
  });

  it('gives a new template a higher revision than all others', () => {
    const given = { why: 'new', [REVISION]: '7', [naming.key('ctl/last-applied-configuration')]: '{}' };
    const annotations = freshAnnotations(deployment('c', given), undefined, [set('a', 4), set('b', 2)], naming);
    assert.deepEqual(annotations, { why: 'new', [REVISION]: '5' });
  });

  it('increments any 64-bit revision', () => {
    const old = set('a', 0);
    old.metadata.annotations![REVISION] = '3546343826724305832';
    assert.equal(freshAnnotations(deployment('b'), undefined, [old], naming)[REVISION], '3546343826724305833');
  });

  it('gives a template that is used again a new revision and remembers the former one', () => {
    const back = set('a', 1);
    back.metadata.annotations![HISTORY] = '0';
    const annotations = freshAnnotations(deployment('a'), back, [set('b', 2)], naming);
    assert.deepEqual(annotations, { [REVISION]: '3', [HISTORY]: '0,1' });
    assert.deepEqual(freshAnnotations(deployment('b'), set('b', 2), [set('a', 1)], naming), { [REVISION]: '2' });
  });

  it('keeps as many old replica sets as requested, and all that have pods', () => {
    const old = [set('c', 3), set('a', 1), set('b', 2), set('d', 4)];
    const gone = (limit: number | undefined, sets = old) =>
      superfluousSets(deployment('x', {}, limit), sets, naming).map(({ metadata }) => metadata.name);
    assert.deepEqual(gone(2), ['a', 'b']);
    assert.deepEqual(gone(0), ['a', 'b', 'c', 'd']);
    assert.deepEqual(gone(undefined), []);
    assert.deepEqual(gone(0, [set('a', 1, { status: { replicas: 1, observedGeneration: 1 } }), set('b', 2)]), ['b']);
    assert.deepEqual(gone(0, [set('a', 1, { status: { replicas: 0 } })]), []);
  });
});
