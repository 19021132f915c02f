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
  readonly targetCPUUtilizationPercentage?: number;
  readonly metrics?: { readonly resource: { readonly name: string; readonly target: object } }[];
}

async function scaledBy(versions: readonly string[], words: readonly string[]) {
  const scale = { ...deployments, plural: 'deployments/scale', kind: 'Scale' };
  const server = new FakeServer([deployments, scale, ...versions.map(scaler)]);
  const metadata = { name: 'd', namespace: 'default' };
  server.put(deployments, asObject({ apiVersion: 'apps/v1', kind: 'Deployment', metadata }));
  const { stderr } = await runLine(['autoscale', 'deployment/d', '--max=3', ...words], { client: server.client });
  const body = server.writes.at(-1)?.body as { apiVersion: string; spec: Spec } | undefined;
  return { stderr, version: body?.apiVersion, spec: body?.spec };
}

const scaled = (...words: readonly string[]) => scaledBy(['v1', 'v2'], words);

const DEPRECATED =
  "Flag --cpu-percent has been deprecated, Use --cpu with percentage or resource quantity format (e.g., '70%' for utilization or '500m' for milliCPU).\n";

describe('metrics of autoscale', () => {
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
    [[], []],
    [['--cpu-percent=0'], []],
    [['--cpu-percent=50'], [['cpu', use(50)]]],
    [
      ['--cpu-percent=50', '--memory=200Mi'],
      [
        ['cpu', use(50)],
        ['memory', value('200Mi')],
      ],
    ],
  ];
  for (const [words, targets] of cases)
    it(words.join(' ') || 'no flag', async () => {
      const { stderr, version, spec } = await scaled(...words);
      const warning = words.some((word) => word.startsWith('--cpu-percent')) ? DEPRECATED : '';
      assert.deepEqual([stderr, version], [warning, 'autoscaling/v2']);
      assert.deepEqual(
        (spec?.metrics ?? []).map(({ resource: { name, target } }) => [name, target]),
        targets,
      );
    });

  const older: readonly [words: readonly string[], percent: number | undefined][] = [
    [[], undefined],
    [['--cpu=50%'], 50],
    [['--cpu-percent=50'], 50],
  ];
  for (const [words, percent] of older)
    it(`${words.join(' ') || 'no flag'} on a server with only autoscaling/v1`, async () => {
      const { version, spec } = await scaledBy(['v1'], words);
      assert.equal(version, 'autoscaling/v1');
      assert.deepEqual([spec?.targetCPUUtilizationPercentage, spec?.metrics], [percent, undefined]);
    });

  for (const words of [['--cpu=500m'], ['--memory=60%'], ['--cpu=50%', '--memory=60%']])
    it(`refuses ${words.join(' ')} on a server with only autoscaling/v1`, async () => {
      const { version, stderr } = await scaledBy(['v1'], words);
      assert.equal(version, undefined);
      assert.equal(
        stderr,
        'error: the server has only autoscaling/v1, which knows no target but a percentage of processors\n',
      );
    });

  const mistakes: readonly [words: readonly string[], stderr: string][] = [
    [['--cpu=x%'], 'error: invalid percentage value: x\n'],
    [['--cpu=-1%'], 'error: invalid percentage value: -1\n'],
    [['--cpu=3000000000%'], 'error: invalid percentage value: 3000000000\n'],
    [['--memory=many'], 'error: invalid resource memory value: many\n'],
    [['--cpu=50%', '--cpu-percent=50'], `${DEPRECATED}error: --cpu-percent and --cpu are mutually exclusive\n`],
  ];
  for (const [words, stderr] of mistakes)
    it(`refuses ${words.join(' ')}`, async () => {
      assert.deepEqual(await scaled(...words), { stderr, version: undefined, spec: undefined });
    });
});
