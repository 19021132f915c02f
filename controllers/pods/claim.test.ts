import assert from 'node:assert/strict';
import { coreV1 } from '#client/generated/resources.ts';
import { SharedInformers } from '#client/informer/shared-informers.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import type { ReplicationController } from '#schema/generated/core.v1.ts';
import type { LabelSelector } from '#schema/generated/meta.v1.ts';
import { candidatesOf, claim } from './claim.ts';
import { controllerReference } from './owners.ts';

const labels = { app: 'web' };
const by = (uid: string, controller = true) => ({
  apiVersion: 'v1',
  kind: 'ReplicationController',
  name: 'rc',
  uid,
  controller,
});

describe('claiming pods', () => {
  const stop = new AbortController();
  after(() => stop.abort());

  async function claimed(
    owner: object,
    live: object | undefined,
    pods: Record<string, object>,
    selector: LabelSelector = { matchLabels: labels },
  ) {
    const server = new FakeServer([coreV1.pods, coreV1.replicationcontrollers], { strict: true });
    for (const [name, metadata] of Object.entries(pods))
      server.put(coreV1.pods, { metadata: { name, namespace: 'ns', ...metadata } });
    const informers = new SharedInformers(server.client);
    const copy = informers.of(coreV1.pods, { fields: ['spec'] });
    informers.start(stop.signal);
    await informers.ready();
    const rc = { metadata: { name: 'rc', namespace: 'ns', uid: 'u1', ...owner } } as ReplicationController;
    if (live !== undefined)
      server.put(coreV1.replicationcontrollers, { metadata: { name: 'rc', namespace: 'ns', ...live } });
    const own = await claim(candidatesOf(copy, rc, selector), {
      owner: rc,
      selector,
      reference: controllerReference(coreV1.replicationcontrollers, rc, server.naming),
      live: () => server.client.resource(coreV1.replicationcontrollers).in('ns').get('rc'),
      claimed: server.client.resource(coreV1.pods).in('ns'),
    });
    const writes = server.writes.map(({ what, body }) => [
      what,
      (body as { metadata: { ownerReferences: { uid: string }[] } }).metadata.ownerReferences.map(({ uid }) => uid),
    ]);
    return { own: own.map(({ metadata }) => metadata.name), writes };
  }

  const LIVE = { uid: 'u1' };
  const LEAVING = { deletionTimestamp: '2024-05-01T11:00:00Z' };
  const rows: [
    what: string,
    owner: object,
    live: object | undefined,
    pods: Record<string, object>,
    own: string[],
    writes: unknown[],
  ][] = [
    ['keeps pods that it owns', {}, LIVE, { a: { labels, ownerReferences: [by('u1')] } }, ['a'], []],
    [
      'adopts matching pods without a controller',
      {},
      LIVE,
      { a: { labels, ownerReferences: [by('u9', false)] } },
      ['a'],
      [['PATCH pods/ns/a', ['u9', 'u1']]],
    ],
    ['ignores pods of another controller', {}, LIVE, { a: { labels, ownerReferences: [by('u2')] } }, [], []],
    ['ignores pods that do not match the selector', {}, LIVE, { a: { labels: { app: 'db' } } }, [], []],
    ['ignores pods that are being deleted', {}, LIVE, { a: { labels, finalizers: ['f'], ...LEAVING } }, [], []],
    [
      'releases pods that no longer match the selector',
      {},
      LIVE,
      { a: { ownerReferences: [by('u1'), by('u3', false)] } },
      [],
      [['PATCH pods/ns/a', ['u3']]],
    ],
    ['adopts no pods while the owner is being deleted', LEAVING, LIVE, { a: { labels } }, [], []],
    [
      'releases no pods while the owner is being deleted',
      LEAVING,
      LIVE,
      { a: { ownerReferences: [by('u1')] } },
      [],
      [],
    ],
    ['adopts no pods if the owner is gone', {}, undefined, { a: { labels } }, [], []],
    [
      'adopts no pods if another object now has the name of the owner',
      {},
      { uid: 'u5' },
      { a: { labels }, b: { labels } },
      [],
      [],
    ],
  ];
  for (const [what, owner, live, pods, own, writes] of rows)
    it(what, async () => {
      assert.deepEqual(await claimed(owner, live, pods), { own, writes });
    });

  const orphans = { a: { labels: { app: 'web', tier: 'x' } }, b: { labels }, c: { labels: { tier: 'x' } }, d: {} };
  const selectors: [what: string, selector: LabelSelector, own: string[]][] = [
    ['several labels', { matchLabels: { app: 'web', tier: 'x' } }, ['a']],
    ['expressions only', { matchExpressions: [{ key: 'app', operator: 'Exists' }] }, ['a', 'b']],
    ['a label that is missing', { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] }, ['c', 'd']],
    [
      'a label and an expression',
      { matchLabels: labels, matchExpressions: [{ key: 'tier', operator: 'DoesNotExist' }] },
      ['b'],
    ],
  ];
  for (const [what, selector, own] of selectors)
    it(`adopts what is selected by ${what}`, async () => {
      assert.deepEqual((await claimed({}, LIVE, orphans, selector)).own, own);
    });
});
