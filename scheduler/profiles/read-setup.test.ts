import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createNaming } from '#base/naming/create-naming.ts';
import { readSetup } from './read-setup.ts';

const naming = createNaming('orch');

describe('the configuration file of the scheduler', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'scheduler-'));
  after(() => rmSync(folder, { recursive: true }));

  const read = (...lines: string[]) => {
    const file = path.join(folder, 'config.yaml');
    const head = ['apiVersion: scheduler.config.orch.io/v1', 'kind: SchedulerConfiguration'];
    writeFileSync(file, [...head, ...lines, ''].join('\n'));
    return readSetup(file, naming);
  };
  const refusal = (...lines: string[]) => {
    try {
      read(...lines);
    } catch (error) {
      return (error as Error).message.replaceAll(`${folder}/config.yaml:`, '');
    }
    return 'accepted';
  };

  it('defaults to one profile with all plug-ins', () => {
    const { setup, flags } = read();
    assert.deepEqual([...setup.profiles.keys()], ['default-scheduler']);
    assert.deepEqual(flags, []);
    assert.deepEqual([setup.firstBackoffMs, setup.longestBackoffMs], [1000, 10_000]);
  });

  it('configures profiles with disabled plug-ins and weights', () => {
    const { setup } = read(
      'percentageOfNodesToScore: 40',
      'podInitialBackoffSeconds: 2',
      'profiles:',
      '- schedulerName: default-scheduler',
      '- schedulerName: packing',
      '  percentageOfNodesToScore: 100',
      '  plugins:',
      '    score:',
      '      enabled: [{name: ImageLocality, weight: 7}]',
      '      disabled: [{name: "*"}]',
      '    multiPoint:',
      '      disabled: [{name: TaintToleration}, {name: DefaultPreemption}]',
    );
    const [first, packing] = [...setup.profiles.values()];
    assert.equal(setup.firstBackoffMs, 2000);
    assert.equal(first?.percentageOfNodesToScore, 40);
    assert.equal(packing?.percentageOfNodesToScore, 100);
    assert.deepEqual(
      packing?.scores.map(({ name, weight }) => `${name} ${weight}`),
      ['ImageLocality 7'],
    );
    const names = packing?.filters.map(({ name }) => name);
    assert.deepEqual([names?.includes('TaintToleration'), names?.includes('NodeAffinity')], [false, true]);
    assert.deepEqual([first?.preempts, packing?.preempts], [true, false]);
  });

  it('sets flags', () => {
    const { flags } = read(
      'leaderElection: {leaderElect: true, leaseDuration: 30s}',
      'clientConnection: {kubeconfig: admin.conf, qps: 100}',
    );
    assert.deepEqual(flags, [
      '--leader-elect=true',
      '--leader-elect-lease-duration=30s',
      `--kubeconfig=${folder}/admin.conf`,
      '--orch-api-qps=100',
    ]);
  });

  const profile = (...lines: string[]) => ['profiles:', '- schedulerName: a', ...lines.map((line) => `  ${line}`)];
  const rows: readonly (readonly [what: string, lines: readonly string[], refused: RegExp])[] = [
    ['extenders', ['extenders: [{urlPrefix: "http://a"}]'], /^3:12: extenders is not built: /],
    ['threads', ['parallelism: 16'], /^3:14: parallelism is not built: /],
    ['settings of plug-ins', profile('pluginConfig: [{name: NodeResourcesFit, args: {a: 1}}]'), /args is not built: /],
    [
      'an unknown plug-in',
      profile('plugins: {score: {enabled: [{name: Mine}]}}'),
      /is no plug-in that is built: choose among ImageLocality, /,
    ],
    [
      'an extension point that cannot be configured',
      profile('plugins: {bind: {disabled: [{name: DefaultBinder}]}}'),
      /is not built at this point: name plug-ins in multiPoint, /,
    ],
    [
      'disabling a required plug-in',
      profile('plugins: {multiPoint: {disabled: [{name: SchedulingGates}]}}'),
      /cannot be switched off$/,
    ],
    [
      'the same name twice',
      ['profiles: [{schedulerName: a}, {schedulerName: a}]'],
      /must differ from those of the other profiles$/,
    ],
    [
      'a maximum backoff below the initial backoff',
      ['podInitialBackoffSeconds: 20'],
      /must not be less than podInitialBackoffSeconds$/,
    ],
  ];
  for (const [what, lines, refused] of rows) it(`refuses ${what}`, () => assert.match(refusal(...lines), refused));
});
