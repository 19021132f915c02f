import { setTimeout as sleep } from 'node:timers/promises';
import { EncryptionKeys } from '../encryption-keys.ts';
import { temporaryPki } from '../replica.ts';
import { damageIn } from '../storage-tool.ts';
import { check } from './checker/check.ts';
import type { History, Violation } from './checker/history.ts';
import { Client } from './client.ts';
import { keyOf, namespaces } from './collections.ts';
import { CustomKinds } from './definitions/custom-kinds.ts';
import { Journal } from './journal.ts';
import { mark } from './mark.ts';
import { type Fault, Nemesis } from './nemesis.ts';
import { Random } from './random.ts';
import { rotate } from './rotation.ts';
import { System } from './system.ts';
import { Watcher } from './watcher.ts';
import { page, randomScope, type WorkerContext, work } from './workload.ts';

export interface RunOptions {
  readonly seed: number;
  /** The time for which the run causes faults, in seconds. */
  readonly seconds: number;
  /** The folder of the built server. */
  readonly dist?: string;
  /** Harms the system. By default, it causes random faults of all kinds. */
  readonly harm?: (nemesis: Nemesis, stop: AbortSignal) => Promise<void>;
  /** The folder in which the run keeps the data of etcd after a failure. */
  readonly keepIn?: string | undefined;
  /** Called with each step, for the log. */
  readonly say?: (line: string) => void;
}

export interface RunResult {
  readonly history: History;
  readonly violations: readonly Violation[];
  readonly faults: readonly Fault[];
  readonly counts: ReadonlyMap<string, number>;
  /** Files with the output of the replicas. */
  readonly logs: readonly string[];
}

const REPLICAS = 3;
const WORKERS = 10;
const PAGERS = 3;
const WATCHERS = 10;

/**
 * The average pause between operations of one worker, in milliseconds. All workers make about 100 operations a second.
 */
const PAUSE = 80;

/** The longest time after the last fault until everything is correct again, in milliseconds. */
const SETTLE = 30_000;

/** Runs many clients on a system while faults harm it, and checks what the clients saw. */
export async function run(options: RunOptions): Promise<RunResult> {
  const { seed, seconds, dist, keepIn, harm = (nemesis, stop) => nemesis.run(stop), say = () => {} } = options;
  const random = new Random(seed);
  let isRight = false;
  const pki = temporaryPki();
  const keys = new EncryptionKeys(pki, ['secrets']);
  const system = await System.start({
    replicas: REPLICAS,
    pki,
    flags: ['--event-ttl=15s', ...keys.flags],
    keyOf,
    ...(dist === undefined ? {} : { dist }),
  });
  const clients: Client[] = [];
  let customKinds: CustomKinds | undefined;
  try {
    const journal = new Journal();
    const over = new AbortController();
    const calm = new AbortController();
    const context = (name: string, index: number, stop: AbortSignal): WorkerContext => {
      const client = new Client(name, system.pki);
      clients.push(client);
      return { client, ports: system.ports, random: random.fork(index), journal, stop };
    };
    const setup = context('setup', 0, over.signal);
    for (const name of namespaces) {
      const { status } = await setup.client.call(system.ports[0]!, 'POST', '/api/v1/namespaces', {
        metadata: { name },
      });
      if (status !== 201) throw new Error(`the namespace ${name} is refused: ${status}`);
    }
    say(`${REPLICAS} replicas on 3 members of etcd; ${seconds} s of faults with seed ${seed}`);

    const settling = { reached: undefined as number | undefined };
    const watchers = Array.from({ length: WATCHERS }, (_, i) => {
      const own = context(`watcher ${i}`, 200 + i, over.signal);
      return new Watcher(own, randomScope(own.random), settling);
    });
    const watching = Promise.all(watchers.map((watcher) => watcher.run()));
    const working = Promise.all([
      ...Array.from({ length: WORKERS }, (_, i) => work(context(`client ${i}`, 1 + i, calm.signal), PAUSE)),
      ...Array.from({ length: PAGERS }, (_, i) => page(context(`pager ${i}`, 100 + i, calm.signal))),
    ]);
    customKinds = new CustomKinds(system, (name, i) => context(name, 300 + i, calm.signal));
    const rotating = rotate(system, keys, journal, calm.signal);
    const nemesis = new Nemesis(system, random.fork(1000));
    const until = AbortSignal.timeout(seconds * 1000);
    await harm(nemesis, until);
    while (!until.aborted) await sleep(50);
    await sleep(1000);
    calm.abort();
    await Promise.all([working, rotating]);
    say('everything is whole again; watchers catch up');
    const violations: Violation[] = [];
    settling.reached = await mark(setup);
    const giveUpAt = Date.now() + SETTLE;
    while (!watchers.every((watcher) => watcher.settled) && Date.now() < giveUpAt) await sleep(50);
    for (const watcher of watchers.filter((one) => !one.settled))
      violations.push({
        law: 'watch',
        message: `${watcher.description} has not caught up ${SETTLE / 1000} s after the last fault`,
      });
    over.abort();
    await watching;
    await system.recorder.reach(settling.reached);
    await sleep(500);
    const history: History = { truth: system.recorder.changes, operations: journal.operations };
    violations.push(...check(history), ...(await customKinds.check()));
    for (const message of journal.notOpened) violations.push({ law: 'opened', message });
    const etcd = `--etcd-servers=${system.members.processes.map(({ endpoint }) => endpoint).join(',')}`;
    for (const message of await damageIn(etcd, `--encryption-provider-config=${keys.file}`))
      violations.push({ law: 'sound', message });
    isRight = violations.length === 0;
    return { history, violations, faults: nemesis.faults, counts: journal.counts, logs: system.logs };
  } finally {
    for (const client of clients) client.close();
    await customKinds?.stop();
    await system.stop(isRight ? undefined : keepIn);
  }
}
