import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { asObject } from '#schema/objects/as-json.ts';
import { runLine } from '../../testing/run-line.ts';

const core = (plural: string, kind: string, namespaced: boolean) => ({
  ...{ group: '', version: 'v1', plural, kind, namespaced },
});
const types = [core('nodes', 'Node', false), core('pods', 'Pod', true)] as const;
const metrics = { group: createNaming('orch').group('metrics'), version: 'v1beta1' };
const MIB = 1 << 20;

const nodes = [
  ['a', { swap: { capacity: 4 * MIB } }, { cpu: '250m', memory: '64Mi', swap: '1Mi' }],
  ['b', {}, { cpu: '1', memory: '1Gi', swap: '2Mi' }],
  ['c', { swap: { capacity: 0 } }, { cpu: '1', memory: '1Gi' }],
  ['d', { swap: { capacity: 4 * MIB } }, undefined],
] as const;

async function top(line: string): Promise<string[]> {
  const server = new FakeServer([
    ...types,
    { ...metrics, plural: 'nodes', kind: 'NodeMetrics', namespaced: false },
    { ...metrics, plural: 'pods', kind: 'PodMetrics', namespaced: true },
  ]);
  for (const [name, nodeInfo] of nodes) {
    const status = { capacity: { cpu: '2', memory: '2Gi' }, allocatable: { cpu: '1', memory: '1Gi' }, nodeInfo };
    server.put(types[0], asObject({ apiVersion: 'v1', kind: 'Node', metadata: { name }, status }));
  }
  const items = nodes.flatMap(([name, , usage]) => (usage === undefined ? [] : [{ metadata: { name }, usage }]));
  const container = (name: string, swap: string) => ({ name, usage: { cpu: '10m', memory: '1Mi', swap } });
  const containers = [container('x', '3Mi'), container('y', '4Mi')];
  server.handle((_, path) => {
    const of = /\/metrics[^/]*\/v1beta1\/.*?(nodes|pods)$/.exec(path)?.[1];
    if (of === 'nodes') return { items };
    return of === undefined ? undefined : { items: [{ metadata: { name: 'p', namespace: 'default' }, containers }] };
  });
  const { stdout, stderr, code } = await runLine(line.split(' '), { client: server.client });
  assert.deepEqual([stderr, code], ['', 0]);
  return stdout.trimEnd().split(/ *\n/);
}

describe('top', () => {
  it('shows the swap usage of nodes with --show-swap', async () => {
    assert.deepEqual(await top('top node --show-swap'), [
      'NAME   CPU(cores)   CPU(%)      MEMORY(bytes)   MEMORY(%)   SWAP(bytes)   SWAP(%)',
      'a      250m         25%         64Mi            6%          1Mi           25%',
      'b      1000m        100%        1024Mi          100%        <unknown>     <unknown>',
      'c      1000m        100%        1024Mi          100%        0Mi           0%',
      'd      <unknown>    <unknown>   <unknown>       <unknown>   <unknown>     <unknown>',
    ]);
    assert.ok((await top('top node')).every((line) => !/SWAP|25%$/.test(line)));
  });

  it('shows the swap usage of pods and containers and their sum', async () => {
    assert.deepEqual(await top('top pod --show-swap --sum'), [
      'NAME   CPU(cores)   MEMORY(bytes)   SWAP(bytes)',
      'p      20m          2Mi             7Mi',
      '       ________     ________        ________',
      '       20m          2Mi             7Mi',
    ]);
    assert.deepEqual(await top('top pod --show-swap --containers'), [
      'POD   NAME   CPU(cores)   MEMORY(bytes)   SWAP(bytes)',
      'p     x      10m          1Mi             3Mi',
      'p     y      10m          1Mi             4Mi',
    ]);
  });
});
