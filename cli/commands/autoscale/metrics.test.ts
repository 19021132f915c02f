import assert from 'node:assert/strict';
import { FakeServer } from '#client/testing/fake-server.ts';
import { asObject } from '#schema/objects/as-json.ts';
import { runLine } from '../../testing/run-line.ts';

const deployments = { group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment', namespaced: true };
const scaler = (version: string) => ({
  ...{ group: 'autoscaling', version, plural: 'horizontalpodautoscalers' },
  ...{ kind: 'HorizontalPodAutoscaler', namespaced: true },
});

interface Spec {
  readonly metrics?: { readonly resource: { readonly name: string; readonly target: object } }[];
}

async function scaled(...words: readonly string[]) {
  const scale = { ...deployments, plural: 'deployments/scale', kind: 'Scale' };
  const server = new FakeServer([deployments, scale, scaler('v1'), scaler('v2')]);
  const metadata = { name: 'd', namespace: 'default' };
  server.put(deployments, asObject({ apiVersion: 'apps/v1', kind: 'Deployment', metadata }));
  const { stderr } = await runLine(['autoscale', 'deployment/d', '--max=3', ...words], { client: server.client });
  const body = server.writes.at(-1)?.body as { apiVersion: string; spec: Spec } | undefined;
  return { stderr, version: body?.apiVersion, spec: body?.spec };
}

describe('what autoscalers aim at', () => {
  const use = (averageUtilization: number) => ({ type: 'Utilization', averageUtilization });
  const value = (averageValue: string) => ({ type: 'AverageValue', averageValue });
  const cases: readonly [words: readonly string[], targets: readonly [name: string, target: object][]][] = [
    [['--cpu=70%'], [['cpu', use(70)]]],
    [['--cpu=500m'], [['cpu', value('500m')]]],
    [['--cpu=500'], [['cpu', value('500m')]]],
    [['--cpu=1.5'], [['cpu', value('1500u')]]],
    [['--memory=60%'], [['memory', use(60)]]],
    [['--memory=200'], [['memory', value('200Mi')]]],
    [['--memory=1Gi'], [['memory', value('1Gi')]]],
    [
      ['--cpu=60%', '--memory=70%'],
      [
        ['cpu', use(60)],
        ['memory', use(70)],
      ],
    ],
    [
      ['--cpu-percent=50', '--memory=200Mi'],
      [
        ['cpu', use(50)],
        ['memory', value('200Mi')],
      ],
    ],
  ];
  for (const [words, targets] of cases)
    it(words.join(' '), async () => {
      const { stderr, version, spec } = await scaled(...words);
      assert.deepEqual([stderr, version], ['', 'autoscaling/v2']);
      assert.deepEqual(
        spec?.metrics?.map(({ resource: { name, target } }) => [name, target]),
        targets,
      );
    });

  it('are in the first version where only --cpu-percent is given', async () => {
    const { version, spec } = await scaled('--cpu-percent=50');
    assert.equal(version, 'autoscaling/v1');
    assert.equal((spec as { targetCPUUtilizationPercentage?: number }).targetCPUUtilizationPercentage, 50);
  });

  const mistakes: readonly [words: readonly string[], stderr: string][] = [
    [['--cpu=x%'], 'error: invalid percentage value: x\n'],
    [['--cpu=-1%'], 'error: invalid percentage value: -1\n'],
    [['--cpu=3000000000%'], 'error: invalid percentage value: 3000000000\n'],
    [['--memory=many'], 'error: invalid resource memory value: many\n'],
    [['--cpu=50%', '--cpu-percent=50'], 'error: --cpu-percent and --cpu are mutually exclusive\n'],
  ];
  for (const [words, stderr] of mistakes)
    it(`not ${words.join(' ')}`, async () => {
      assert.deepEqual(await scaled(...words), { stderr, version: undefined, spec: undefined });
    });
});
