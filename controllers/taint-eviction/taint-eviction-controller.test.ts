import assert from 'node:assert/strict';
import { coreV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import type { Node, Pod, Toleration } from '#schema/generated/core.v1.ts';
import { startController } from '../testing/start-controller.ts';
import { taintEvictionController } from './taint-eviction-controller.ts';

const TYPES = [coreV1.pods, coreV1.nodes, coreV1.events];
const taint = { key: 'broken', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' };
const at = (second: number) => Date.parse(taint.timeAdded) + second * 1000;

function podOn(node: string, name: string, tolerations: Toleration[]): Pod {
  return {
    metadata: { name, namespace: 'n' },
    spec: { containers: [], nodeName: node, tolerations },
    status: { startTime: '2025-12-31T00:00:00Z' },
  };
}

const node = (name: string, taints: object[]): Node => ({ metadata: { name }, spec: { taints: taints as never } });
const names = (server: FakeServer) => server.all(coreV1.pods).map(({ metadata }) => metadata.name);

describe('taint eviction controller', () => {
  it('deletes pods that do not tolerate a taint, immediately or after tolerationSeconds', async () => {
    const server = new FakeServer(TYPES, { strict: true });
    server.handle((_, path) => (path === '/version' ? { major: '1', minor: '31' } : undefined));
    server.put(coreV1.nodes, node('a', [taint]));
    server.put(coreV1.nodes, node('b', []));
    const exists = (tolerationSeconds?: number) => [
      { operator: 'Exists', ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }) },
    ];
    server.put(coreV1.pods, podOn('a', 'at-once', []));
    server.put(coreV1.pods, podOn('a', 'stays', exists()));
    server.put(coreV1.pods, podOn('a', 'over', exists(20)));
    server.put(coreV1.pods, podOn('a', 'later', exists(60)));
    server.put(coreV1.pods, podOn('b', 'elsewhere', []));
    let now = at(30);
    const controller = await startController(taintEvictionController, server, { now: () => now });
    await waitUntil('two are gone', () => names(server).length === 3);
    assert.deepEqual(names(server), ['stays', 'later', 'elsewhere']);
    now = at(61);
    server.put(coreV1.pods, {
      ...server.get(coreV1.pods, 'later', 'n')!,
      metadata: { name: 'later', namespace: 'n', labels: {} },
    });
    await waitUntil('the third one is gone', () => !names(server).includes('later'));
    await waitUntil('it is there', () => server.all(coreV1.events).length === 3);
    await controller.stop();
    const patch = server.writes.find(({ what }) => what === 'PATCH pods/n/over/status')?.body as {
      status: Pod['status'];
    };
    assert.equal(patch.status?.conditions?.[0]?.reason, 'DeletionByTaintManager');
    const [event] = server.all(coreV1.events);
    assert.deepEqual([event?.reason, event?.message], ['TaintManagerEviction', 'Marking for deletion Pod n/at-once']);
  });

  it('keeps pods if the taint is removed in time', async () => {
    const server = new FakeServer(TYPES, { strict: true });
    server.put(coreV1.nodes, node('a', [taint]));
    server.put(coreV1.pods, podOn('a', 'p', [{ operator: 'Exists', tolerationSeconds: 60 }]));
    let asked = 0;
    const now = () => {
      asked++;
      return at(30);
    };
    const controller = await startController(taintEvictionController, server, { now });
    await waitUntil('it has been looked at', () => asked > 1);
    server.put(coreV1.nodes, node('a', []));
    const reasons = () => server.all(coreV1.events).map(({ message }) => message);
    await waitUntil('it is there', () => reasons().length === 1);
    await controller.stop();
    assert.deepEqual([names(server), reasons()], [['p'], ['Cancelling deletion of Pod n/p']]);
  });

  it('reads the node from the server before it deletes a pod', async () => {
    const server = new FakeServer(TYPES, { strict: true });
    server.put(coreV1.nodes, node('a', [taint]));
    server.put(coreV1.pods, podOn('a', 'p', []));
    let asked = 0;
    server.handle(({ method }, path) => {
      if (method !== 'GET' || !path.endsWith('/nodes/a')) return undefined;
      asked++;
      return { ...node('a', []), apiVersion: 'v1', kind: 'Node' };
    });
    const controller = await startController(taintEvictionController, server, { now: () => at(30) });
    await waitUntil('it has asked', () => asked > 0);
    await controller.stop();
    assert.deepEqual(names(server), ['p']);
  });
});
