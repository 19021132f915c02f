import assert from 'node:assert/strict';
import { createNaming, namingProfiles } from '#base/naming/create-naming.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { startController } from '../testing/start-controller.ts';
import { nextStep, ttlController } from './ttl-controller.ts';

describe('node TTL controller', () => {
  const cases: readonly [last: number, nodes: number, step: number][] = [
    [0, 0, 0],
    [0, 100, 0],
    [0, 101, 1],
    [1, 90, 1],
    [1, 89, 0],
    [0, 5000, 4],
    [4, 1800, 4],
    [4, 1799, 3],
    [0, 20_000, 5],
    [5, 9000, 5],
    [5, 1, 0],
  ];
  for (const [last, nodes, step] of cases)
    it(`changes from step ${last} to ${step} with ${nodes} nodes`, () => {
      assert.equal(nextStep(last, nodes), step);
    });

  for (const naming of namingProfiles.map(createNaming))
    it(`annotates every node, and changes the value when the cluster grows (${naming.profile})`, async () => {
      const server = new FakeServer([coreV1.nodes], { strict: true, naming });
      const key = naming.key('node.alpha/ttl');
      for (let i = 0; i < 100; i++) server.put(coreV1.nodes, { metadata: { name: `n${i}` } });
      server.put(coreV1.nodes, { metadata: { name: 'n0', annotations: { [key]: '17', other: 'x' } } });
      const controller = await startController(ttlController, server);
      const all = (seconds: string) => () =>
        server.all(coreV1.nodes).every(({ metadata }) => metadata.annotations?.[key] === seconds);
      await waitUntil('all know', all('0'));
      assert.equal(server.get(coreV1.nodes, 'n0')?.metadata.annotations?.['other'], 'x');
      assert.equal(server.writes.length, 100);
      server.put(coreV1.nodes, { metadata: { name: 'one-more' } });
      await waitUntil('all know that there are many', all('15'));
      for (let i = 0; i < 12; i++) server.remove(coreV1.nodes, `n${i}`);
      await waitUntil('all know that there are few', all('0'));
      await controller.stop();
    });
});

describe('node TTL controller, with an API server', () => {
  const running = aroundManager([ttlController], '--use-service-account-credentials');

  it('reverts a changed annotation', async () => {
    const nodes = running.client.resource(coreV1.nodes);
    const key = 'node.alpha.orch.io/ttl';
    await nodes.create({ metadata: { name: 'n' } });
    const right = async () => (await nodes.get('n')).metadata.annotations?.[key] === '0';
    await waitUntil('it knows', right);
    await nodes.patch('n', 'merge', { metadata: { annotations: { [key]: '17' } } });
    await waitUntil('it knows again', right);
  });
});
