import assert from 'node:assert/strict';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { partOfRows } from '../part-of-rows.ts';
import { accessLines } from './access.ts';
import { applyLines } from './apply.ts';
import { badFileLines } from './bad-files.ts';
import { changeLines } from './change.ts';
import { dumpLines } from './cluster-info.ts';
import { findYardstick, runYardstick, wordsOf } from './compare.ts';
import { compareLine } from './compare-line.ts';
import type { Comparison } from './comparison.ts';
import { makeMetrics, makeRevisions } from './comparison-objects.ts';
import { type ComparisonServer, startComparisonServer } from './comparison-server.ts';
import { completionLines } from './completion.ts';
import { brokenFileLines, connectionLines, contextLines } from './contexts.ts';
import { createLines } from './create.ts';
import { debugLines } from './debug.ts';
import { describeLines } from './describe.ts';
import { differenceLines } from './difference.ts';
import { answeredLines, editLines, misfitLines } from './edit.ts';
import { explainLines } from './explain.ts';
import { fileLines } from './files.ts';
import { generalLines } from './general-commands.ts';
import { generatorLines } from './generators.ts';
import { getInputs, getLines } from './get.ts';
import { getFlagLines } from './get-flags.ts';
import { deleteLines, markLines, namelessLines } from './mark.ts';
import { numberLines } from './numbers.ts';
import { authLines, certificateLines, nodeLines, rolloutAgainLines, rolloutLines, waitLines } from './operate.ts';
import { outputLines } from './output.ts';
import { pathLines } from './paths.ts';
import { recordLines } from './record.ts';
import { revisionLines, topLines } from './revisions.ts';
import { eventLines, exposeLines, runLines } from './run.ts';
import { selectionLines } from './selection.ts';
import { setLines } from './set.ts';
import { streamObjects, streamStatuses } from './stream-objects.ts';
import { attachLines, copyLines, execLines, logLines, portForwardLines } from './streams.ts';
import { typedLines } from './typed.ts';
import { writeFlagLines } from './write-flags.ts';

/** The tables of lines. */
const tables: Readonly<Record<string, readonly Comparison[]>> = {
  apply: applyLines,
  completion: completionLines,
  create: [...createLines, ...generatorLines],
  describe: describeLines,
  explain: explainLines,
  files: fileLines,
  'bad files': badFileLines,
  difference: differenceLines,
  frame: generalLines,
  contexts: [...contextLines, ...connectionLines, ...brokenFileLines],
  edit: [...editLines, ...misfitLines, ...answeredLines],
  get: [...getLines, ...getInputs, ...getFlagLines],
  change: changeLines,
  mark: markLines,
  delete: [...deleteLines, ...namelessLines],
  output: outputLines,
  selection: selectionLines,
  numbers: numberLines,
  paths: pathLines,
  wait: waitLines,
  auth: [...authLines, ...accessLines],
  nodes: nodeLines,
  set: setLines,
  rollout: [...rolloutLines, ...rolloutAgainLines, ...revisionLines],
  top: topLines,
  record: recordLines,
  typed: typedLines,
  'write flags': writeFlagLines,
  certificate: certificateLines,
  run: runLines,
  expose: exposeLines,
  events: eventLines,
  logs: logLines,
  exec: execLines,
  attach: attachLines,
  'port-forward': portForwardLines,
  cp: copyLines,
  debug: debugLines,
  dump: dumpLines,
};

/** The objects in the namespace `one` that every table can use. */
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

describe('orchctl compared with the upstream client', function () {
  this.timeout(300_000);
  // Both programs print ages, and a second may pass between the two calls.
  this.retries(2);
  const yardstick = findYardstick();
  let server: ComparisonServer;
  before(async function () {
    if (yardstick === undefined) return this.skip();
    server = await startComparisonServer();
    const run = async (words: readonly string[], input?: string) => {
      const { code, stdout, stderr } = await runYardstick(yardstick, words, server.kubeconfig, input);
      assert.equal(code, 0, stderr);
      return stdout;
    };
    const make = async (object: object) =>
      JSON.parse(
        await run(['create', '--validate=false', '-o', 'json', '-f', '-'], JSON.stringify(object)),
      ) as ApiObject;
    for (const object of [...objects, ...streamObjects]) await make(object);
    await makeRevisions(make);
    await makeMetrics(make);
    const capacity = { allocatable: { cpu: '3', memory: '4Gi' }, capacity: { cpu: '4', memory: '8Gi' } };
    for (const [what, status] of [...streamStatuses(server), ['node open', capacity] as const]) {
      const patch = ['--subresource=status', '--type=merge', '-p', JSON.stringify({ status })];
      await run(['patch', '-n', 'streams', ...what.split(' '), ...patch]);
    }
  });
  after(() => server?.stop());

  let places = 0;
  /** Makes two namespaces, and runs these lines in each of them. */
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

  const isInPart = partOfRows();
  for (const [name, lines] of Object.entries(tables))
    describe(name, () => {
      for (const comparison of lines.filter(isInPart))
        compareLine(comparison, () => ({ yardstick: yardstick!, server }), prepare);
    });
});
