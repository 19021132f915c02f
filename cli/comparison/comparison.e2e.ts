import assert from 'node:assert/strict';
import { alike, findYardstick, runOwn, runYardstick, wordsOf } from '../testing/compare.ts';
import { type ComparisonServer, startComparisonServer } from '../testing/comparison-server.ts';
import type { Outcome } from '../testing/run-line.ts';
import { applyLines } from './apply.ts';
import { changeLines } from './change.ts';
import type { Comparison } from './comparison.ts';
import { createLines } from './create.ts';
import { describeLines } from './describe.ts';
import { differenceLines } from './difference.ts';
import { frameLines } from './frame.ts';
import { getInputs, getLines } from './get.ts';
import { getFlagLines } from './get-flags.ts';

import { deleteLines, markLines } from './mark.ts';

import { authLines, certificateLines, nodeLines, rolloutAgainLines, rolloutLines, waitLines } from './operate.ts';
import { outputLines } from './output.ts';
import { setLines } from './set.ts';

/** Tables of lines. Engineers of other commands add theirs. */
const tables: Readonly<Record<string, readonly Comparison[]>> = {
  apply: applyLines,
  create: createLines,
  describe: describeLines,
  difference: differenceLines,
  frame: frameLines,
  get: [...getLines, ...getInputs, ...getFlagLines],
  change: changeLines,
  mark: markLines,
  delete: deleteLines,
  output: outputLines,
  wait: waitLines,
  auth: authLines,
  nodes: nodeLines,
  set: setLines,
  rollout: [...rolloutLines, ...rolloutAgainLines],
  certificate: certificateLines,
};

/** What every table finds on the server, in the namespace `one`. */
const objects = [
  { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'one' } },
  {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'a', namespace: 'one', labels: { x: 'y' } },
    data: { a: 'b' },
  },
  { kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'c', namespace: 'one' }, data: { a: '1', b: '<b>&' } },
  {
    kind: 'ConfigMap',
    apiVersion: 'v1',
    metadata: { name: 'odd', namespace: 'one' },
    data: {
      A1: '2020-01-01',
      B: '0x10',
      a9: 'x',
      a10: 'x',
      c: '12:30:45',
      d: '#x',
      e: '',
      f: '\n',
      g: '=',
      h: '~',
      i: 'a #b',
      j: "it's",
      k: '0o7',
      l: '1_000',
      m: ' lead\nx\n',
      n: 'x\ty',
      o: 'yes',
      p: '1e3',
      q: '- x',
      r: 'a: b',
      s: 'tab\tx\nline\n',
      t: `${'w'.repeat(300)} ${'v'.repeat(100)} ${'u '.repeat(100)}x`,
      u: 'é ☃ 😀',
      v: 'trail \nx',
      w: 'a\n\n\n',
      x: `"${'quoted: '.repeat(30)}"`,
      y: '!x',
      z: ' x',
    },
  },
  { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'default', namespace: 'one' } },
  {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'p1', namespace: 'one', labels: { run: 'p1' } },
    spec: { containers: [{ name: 'p1', image: 'nginx' }] },
  },
  { kind: 'Node', apiVersion: 'v1', metadata: { name: 'open' } },
  {
    kind: 'Node',
    apiVersion: 'v1',
    metadata: { name: 'shut' },
    spec: { unschedulable: true, taints: [{ key: 't', value: 'v', effect: 'NoSchedule' }] },
  },
  {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name: 'alone', namespace: 'one' },
    spec: { nodeName: 'shut', volumes: [{ name: 'v', emptyDir: {} }], containers: [{ name: 'c', image: 'x' }] },
  },
  {
    kind: 'Deployment',
    apiVersion: 'apps/v1',
    metadata: { name: 'web', namespace: 'one', labels: { app: 'web' } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
    },
  },
];

function withoutPlace({ stdout, stderr, code }: Outcome, place: string): Outcome {
  return { stdout: stdout.replaceAll(place, 'NAMESPACE'), stderr: stderr.replaceAll(place, 'NAMESPACE'), code };
}

describe("beside the field's own client", function () {
  this.timeout(300_000);
  // both say how long ago things were: a second may pass between them
  this.retries(2);
  const yardstick = findYardstick();
  let server: ComparisonServer;
  before(async function () {
    if (yardstick === undefined) return this.skip();
    server = await startComparisonServer();
    for (const object of objects) {
      const { code, stderr } = await runYardstick(
        yardstick,
        ['create', '--validate=false', '-f', '-'],
        server.kubeconfig,
        JSON.stringify(object),
      );
      assert.equal(code, 0, stderr);
    }
  });
  after(() => server?.stop());

  let places = 0;
  /** A namespace for each of both, in which these lines have been run. */
  async function prepare(lines: readonly string[], input?: string): Promise<string[]> {
    const made = [`place-${places++}`, `place-${places++}`];
    const run = async (words: readonly string[]) => {
      const { code, stderr } = await runYardstick(yardstick!, words, server.kubeconfig, input);
      assert.equal(code, 0, `${words.join(' ')}: ${stderr}`);
    };
    await Promise.all(
      made.map(async (place) => {
        await run(['create', 'namespace', place]);
        for (const line of lines) await run([...wordsOf(line), '-n', place]);
      }),
    );
    return made;
  }

  for (const [name, lines] of Object.entries(tables))
    describe(name, () => {
      for (const { line, input, meant, before: lead, given } of lines)
        it(meant === undefined ? line : `${line} (differs: ${meant})`, async () => {
          const words = wordsOf(line);
          const places = lead === undefined ? undefined : await prepare(lead, given);
          const inPlace = (n: number) => (places === undefined ? words : [...words, '-n', places[n]!]);
          const [theirs, ours] = (
            await Promise.all([
              runYardstick(yardstick!, inPlace(0), server.kubeconfig, input),
              runOwn(inPlace(1), server.kubeconfig, server.home, input),
            ])
          ).map((outcome, n) => (places === undefined ? outcome : withoutPlace(outcome, places[n]!)));
          if (meant === undefined) assert.deepEqual(alike(ours!), alike(theirs!));
          else assert.notDeepEqual(alike(ours!), alike(theirs!), 'they do not differ any more: take out `meant`');
        });
    });
});
