import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNaming } from '#base/naming/create-naming.ts';
import { writeConnectionFile } from '#program/connection/write-connection-file.ts';
import { findTool } from '#scripts/ensure-tool.ts';
import { managerProcessFlags, startManagerProcess } from '#scripts/manager-process.ts';
import { type Background, freePort } from '#scripts/processes.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';
import { openWatch, type WatchStream } from '../watch-stream.ts';

interface Pod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly nodeName: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const PODS = '/api/v1/namespaces/default/pods';
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const WANTED = 3;
/** The smallest number of pods that the budget requires. */
const LEAST = 2;
/** The time until a new pod is ready, in milliseconds. */
const STARTING_MS = 700;

const naming = createNaming('kubernetes');
const dist = path.resolve(import.meta.dirname, '../../dist');

const isReady = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

describe('draining a node with a disruption budget', function () {
  this.timeout(240_000);
  const pki = temporaryPki('kubernetes');
  const connection = pki.file('admin.conf');
  const pods = new Map<string, Pod>();
  let etcd: EtcdProcess;
  let replica: Replica;
  let manager: Background;
  let watch: WatchStream;
  /** The smallest number of ready pods at any time, according to the watch. */
  let fewest = WANTED;
  let next = 0;

  before(async () => {
    etcd = await EtcdProcess.start();
    replica = await startReplica(pki, etcd.endpoint, { profile: 'kubernetes' });
    const port = await freePort(21_000 + Math.floor(Math.random() * 1000));
    manager = startManagerProcess(
      'manager',
      path.join(dist, 'controllers/main.js'),
      managerProcessFlags(naming, pki, { apiPort: replica.port, port }),
      pki.file('manager.log'),
    );
    writeConnectionFile(connection, naming.product, {
      server: `https://127.0.0.1:${replica.port}`,
      ca: pki.read('ca.crt'),
      clientCertificate: pki.read('admin.crt'),
      clientKey: pki.read('admin.key'),
    });
    for (const name of ['one', 'two']) await call('POST', '/api/v1/nodes', { metadata: { name } });
    // Admission requires this field.
    await until('the default account is there', async () => {
      const { status } = await replica.request('GET', '/api/v1/namespaces/default/serviceaccounts/default');
      return status === 200;
    });
    watch = await openWatch(replica, `${PODS}?watch=1`);
    for (let i = 0; i < WANTED; i++) await start('one');
    const selector = { matchLabels: { app: 'web' } };
    await call('POST', BUDGETS, { metadata: { name: 'web' }, spec: { minAvailable: LEAST, selector } });
    await until('the budget allows one to go', async () => (await allowed()) === 1);
  });

  after(async () => {
    watch?.close();
    await manager?.stop();
    await replica?.stop();
    await etcd?.stop();
  });

  // biome-ignore lint/suspicious/noExplicitAny: answers of any kind
  async function call(method: string, target: string, body?: unknown): Promise<any> {
    const answer = await replica.request(method, target, body);
    assert.ok(answer.status < 300, `${method} ${target}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body);
  }

  async function until(what: string, done: () => Promise<boolean>): Promise<void> {
    for (const giveUpAt = Date.now() + 60_000; !(await done()); await sleep(50))
      assert.ok(Date.now() < giveUpAt, `waited for: ${what}`);
  }

  const allowed = async (): Promise<number> => (await call('GET', `${BUDGETS}/web`)).status?.disruptionsAllowed;

  /** Makes a pod. Resolves when the program that runs pods on the node reports that it is ready. */
  async function start(nodeName: string): Promise<void> {
    const metadata = { name: `web-${next++}`, labels: { app: 'web' } };
    const spec = { nodeName, containers: [{ name: 'web', image: 'web' }] };
    const pod = await call('POST', PODS, { metadata, spec });
    await sleep(STARTING_MS);
    const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
    await call('PUT', `${PODS}/${metadata.name}/status`, { ...pod, status });
  }

  /** Ends pods that are being deleted, as their node does, and starts replacements, until stopped. */
  async function play(replaceOn: string | undefined, stop: AbortSignal): Promise<void> {
    const starting = new Set<Promise<void>>();
    while (!stop.aborted) {
      const { items } = (await call('GET', PODS)) as { items: Pod[] };
      for (const { metadata } of items)
        if (metadata.deletionTimestamp !== undefined) {
          await replica.request('DELETE', `${PODS}/${metadata.name}?gracePeriodSeconds=0`);
        }
      const left = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).length;
      for (let missing = WANTED - left; replaceOn !== undefined && missing > 0 && starting.size === 0; missing--) {
        const one = start(replaceOn).finally(() => starting.delete(one));
        starting.add(one);
      }
      await sleep(50);
    }
    await Promise.all(starting);
  }

  /** Processes events of the watch until the pods are in the expected state. */
  async function follow(reached: () => boolean): Promise<void> {
    for (let begun = pods.size > 0; !reached(); ) {
      const { type, object } = await watch.next();
      const pod = object as unknown as Pod;
      if (type === 'DELETED') pods.delete(pod.metadata.name);
      else pods.set(pod.metadata.name, pod);
      const ready = [...pods.values()].filter(isReady).length;
      begun ||= ready === WANTED;
      if (begun) fewest = Math.min(fewest, ready);
    }
  }

  const allReadyOn = (node: string) => () => {
    const all = [...pods.values()];
    return all.length === WANTED && all.every((pod) => isReady(pod) && pod.spec.nodeName === node);
  };

  async function drain(program: string, args: readonly string[], replaceOn: string | undefined) {
    const stop = new AbortController();
    const playing = play(replaceOn, stop.signal);
    const asked = [...args, `--kubeconfig=${connection}`, '--force', '--ignore-daemonsets'];
    const env = { ...process.env, HOME: pki.directory };
    const ended = await new Promise<{ code: number; said: string }>((resolve) => {
      execFile(program, asked, { env }, (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), said: stdout + stderr }),
      );
    });
    stop.abort();
    await playing;
    return ended;
  }

  const own = [process.execPath, path.join(dist, 'cli/main.js')] as const;
  const tools: readonly [
    name: string,
    program: string | undefined,
    first: readonly string[],
    from: string,
    to: string,
  ][] = [
    ['the upstream command line', findTool('kubectl'), [], 'one', 'two'],
    ["this project's command line", own[0], [own[1]], 'two', 'one'],
  ];

  for (const [name, program, first, from, to] of tools) {
    it(`keeps the required number of pods ready: ${name}`, async function () {
      // Not every machine has this program.
      if (program === undefined) this.skip();
      for (const node of ['one', 'two'])
        await call('PATCH', `/api/v1/nodes/${node}`, { spec: { unschedulable: false } });
      await follow(allReadyOn(from));
      fewest = WANTED;
      const began = Date.now();
      const [{ code, said }] = await Promise.all([
        drain(program, [...first, 'drain', from, '--timeout=120s'], to),
        follow(allReadyOn(to)),
      ]);
      assert.equal(code, 0, said);
      assert.match(said, new RegExp(`node/${from} drained`));
      assert.equal(fewest, LEAST);
      assert.match(said, /would violate the pod's disruption budget/);
      assert.equal((await call('GET', `/api/v1/nodes/${from}`)).spec.unschedulable, true);
      console.log(`      ${((Date.now() - began) / 1000).toFixed(1)} s; never less than ${fewest} of ${WANTED} ready`);
      await until('the budget allows one to go', async () => (await allowed()) === 1);
    });
  }

  it('fails if no other pods become ready', async () => {
    const [, program, first, , node] = tools[1]!;
    fewest = WANTED;
    const { code, said } = await drain(program!, [...first, 'drain', node, '--timeout=10s'], undefined);
    assert.notEqual(code, 0, said);
    assert.match(said, /global timeout reached/);
    await follow(() => pods.size === LEAST);
    assert.equal(fewest, LEAST);
    assert.equal(await allowed(), 0);
  });
});
