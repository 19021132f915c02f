import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Background } from '#scripts/processes.ts';
import { startProgram } from '#scripts/scheduler-process.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from '../../replica.ts';
import { damageIn } from '../../storage-tool.ts';
import { Client } from '../client.ts';
import type { LinkState } from '../link.ts';
import { Random } from '../random.ts';
import { auditFlags, readWrites } from './audited.ts';
import { check, type Delay, type Fall, type Harm, transitionsIn, type Violation, type Write } from './check.ts';
import {
  connectionOf,
  type InstanceKind,
  Instances,
  instanceNames,
  LEASE_MS,
  MANAGER,
  SCHEDULER,
} from './instances.ts';
import { PodsWatch } from './pods-watch.ts';
import { Workload } from './workload.ts';

export interface ControllersRunOptions {
  readonly seed: number;
  /** The time for which the run causes faults, in seconds. */
  readonly seconds: number;
  /** The folder of the built programs. */
  readonly dist?: string;
  /**
   * Causes the harm to the managers. By default, the run first makes leaders fail in every way, and then causes random
   * faults.
   */
  readonly harm?: (target: Target, stop: AbortSignal) => Promise<Done>;
  /** The time after the last fault in which all work must be done, in milliseconds. */
  readonly settleMs?: number;
  /** Called with each step, for the log. */
  readonly say?: (line: string) => void;
}

/** The parts that a run may harm. */
export interface Target {
  readonly managers: Instances;
  readonly schedulers: Instances;
  readonly random: Random;
  /** The number of the leading instance of a program. Undefined if none leads. */
  readonly leader: (instances: Instances) => number | undefined;
}

/** The harm that the run did. */
export interface Done extends Harm {
  readonly faults: readonly string[];
}

export interface ControllersRunResult {
  readonly violations: readonly Violation[];
  readonly writes: readonly Write[];
  readonly faults: readonly string[];
  /** The numbers of requests, by kind. */
  readonly counts: ReadonlyMap<string, number>;
  /** The number of changes of pods. */
  readonly changes: number;
  /**
   * The number of times that another instance got the lease, and the number of times that another one had to get it.
   */
  readonly transitions: number;
  readonly falls: number;
  /** Files with the output of managers and schedulers. */
  readonly logs: readonly string[];
}

const REPLICAS = 2;
const MANAGERS = 3;
const SCHEDULERS = 2;
const NODES = 3;
const CLIENTS = 2;
/** The pause between two requests of a client, in milliseconds. */
const PAUSE_MS = 150;
/** See {@link ControllersRunOptions.settleMs}. */
const SETTLE_MS = 120_000;
/** The longest time until another instance leads, in milliseconds. */
const TAKEN_OVER_MS = 60_000;
/** Delayed bytes arrive soon after their link works again, because TCP sends them again, and they wait in a queue. */
const LATE_MS = 5_000;

/** Runs clients that request work from controllers while their managers are harmed, and checks the results. */
export async function runControllers(options: ControllersRunOptions): Promise<ControllersRunResult> {
  const { seed, seconds, harm = everything, settleMs = SETTLE_MS, say = () => {} } = options;
  const dist = options.dist ?? path.resolve(import.meta.dirname, '../../../dist');
  const random = new Random(seed);
  const pki = temporaryPki();
  const names = [...instanceNames(MANAGER, MANAGERS), ...instanceNames(SCHEDULER, SCHEDULERS)];
  const watch = new PodsWatch();
  const etcd = await EtcdProcess.start();
  const replicas: Replica[] = [];
  const client = new Client('workload', pki);
  const programs: Instances[] = [];
  let nodes: Background | undefined;
  try {
    const files: string[] = [];
    for (let i = 0; i < REPLICAS; i++) {
      const { flags, file } = auditFlags(pki, i, names);
      files.push(file);
      replicas.push(await startReplica(pki, etcd.endpoint, { flags, dist }));
    }
    const ports = replicas.map(({ port }) => port);
    const start = async (kind: InstanceKind, count: number) => {
      const dialled = Array.from({ length: count }, (_, i) => ports[i % REPLICAS]!);
      const instances = await Instances.start(kind, pki, dialled, dist);
      programs.push(instances);
      return instances;
    };
    const managers = await start(MANAGER, MANAGERS);
    const schedulers = await start(SCHEDULER, SCHEDULERS);
    nodes = startProgram(
      'nodes',
      path.join(dist, 'nodes/main.js'),
      [`--kubeconfig=${connectionOf(pki, 'admin', ports[0]!)}`, `--nodes=${NODES}`, '--port=0', '--events=false'],
      pki.file('nodes.log'),
    );
    say(
      `${MANAGERS} controller managers and ${SCHEDULERS} schedulers on ${REPLICAS} replicas; ${seconds} s of faults ` +
        `with seed ${seed}`,
    );
    const loads = Array.from(
      { length: CLIENTS },
      (_, i) => new Workload(client, ports, random.fork(i + 1), watch, String(i)),
    );
    await loads[0]!.prepare();
    await watch.follow(replicas[0]!);
    const until = AbortSignal.timeout(seconds * 1000);
    const working = Promise.all(loads.map((load) => load.run(PAUSE_MS, until)));
    // The first error counts. Clients also fail after that error has stopped everything.
    working.catch(() => {});
    const leader = (instances: Instances) => leaderIn(files.flatMap(readWrites), instances.names);
    const { faults, ...done } = await harm({ managers, schedulers, random: random.fork(100), leader }, until);
    await working;
    say('everything is whole again; controllers catch up');
    const violations = await unfinished(loads, settleMs);
    const writes = files.flatMap(readWrites);
    for (const { names: own } of programs) {
      const isOwn = ({ by }: { readonly by: string }) => own.includes(by);
      const harmed = { delays: done.delays.filter(isOwn), falls: done.falls.filter(isOwn) };
      violations.push(...check(writes.filter(isOwn), harmed));
    }
    violations.push(...watch.violations);
    for (const message of await damageIn(`--etcd-servers=${etcd.endpoint}`)) violations.push({ law: 'sound', message });
    const counts = new Map<string, number>();
    for (const load of loads)
      for (const [kind, count] of load.counts) counts.set(kind, (counts.get(kind) ?? 0) + count);
    return {
      ...{ violations, writes, faults, counts, changes: watch.changes },
      logs: programs.flatMap(({ logs }) => logs),
      transitions: programs.reduce(
        (sum, { names: own }) => sum + transitionsIn(writes.filter(({ by }) => own.includes(by))),
        0,
      ),
      falls: done.falls.length,
    };
  } finally {
    client.close();
    watch.close();
    await Promise.all(programs.map((one) => one.stop()));
    await nodes?.stop();
    await Promise.all(replicas.map((replica) => replica.stop()));
    await etcd.stop();
  }
}

/** Makes one leader after the other fail, in each way. Then causes random faults until stopped. */
async function everything(target: Target, stop: AbortSignal): Promise<Done> {
  const falls: Fall[] = [];
  const ways = ['killed', 'frozen', 'cut'] as const;
  const first = target.random.between(0, ways.length - 1);
  for (const i of ways.keys()) falls.push(await fell(target, target.managers, ways[(first + i) % ways.length]!));
  falls.push(await fell(target, target.schedulers, target.random.of(ways)));
  const { faults, delays } = await anything(target, stop);
  return {
    faults: [...falls.map(({ by, how }) => `the leading ${by.split('-')[0]} is ${how}`), ...faults],
    delays,
    falls,
  };
}

/** Prevents the leader from leading until another instance leads. */
async function fell({ random, leader }: Target, instances: Instances, how: 'killed' | 'frozen' | 'cut'): Promise<Fall> {
  const index = await eventually(() => leader(instances), 'an instance leads');
  const name = instances.names[index]!;
  const from = Date.now();
  const undo = await strike(instances, index, how);
  const other = () => (leader(instances) === index ? undefined : leader(instances));
  try {
    await eventually(other, `another one leads after ${name} was ${how}`);
    // The stopped instance continues, and finds that another instance leads.
    await sleep(random.between(0, 1000));
  } finally {
    undo();
  }
  return { by: name, how, from, until: Date.now() };
}

/** Causes the fault. Resolves to the function that ends it. */
async function strike(instances: Instances, index: number, how: Fault): Promise<() => void> {
  switch (how) {
    case 'killed':
    case 'stopped':
      await instances.end(index, how === 'killed' ? 'kill' : 'stop');
      return () => instances.launch(index);
    case 'frozen':
      instances.freeze(index, true);
      return () => instances.freeze(index, false);
    default:
      instances.setLink(index, how satisfies LinkState);
      return () => instances.setLink(index, 'open');
  }
}

type Fault = 'killed' | 'stopped' | 'frozen' | 'cut' | 'stalled';

/**
 * Causes one fault after the other. Each lasts so long that the lease is lost. The leader is unknown, so a fault may
 * also affect it.
 */
async function anything({ managers, schedulers, random }: Target, stop: AbortSignal): Promise<Omit<Done, 'falls'>> {
  const faults: string[] = [];
  const delays: Delay[] = [];
  const pause = (ms: number) => sleep(ms, undefined, { signal: stop }).catch(() => {});
  while (!stop.aborted) {
    await pause(random.between(500, 4000));
    if (stop.aborted) break;
    const instances = random.chance(0.3) ? schedulers : managers;
    const index = random.between(0, instances.names.length - 1);
    const name = instances.names[index]!;
    const longer = random.between(500, 2 * LEASE_MS);
    const how = random.of<Fault>(['killed', 'stopped', 'frozen', 'frozen', 'cut', 'stalled']);
    faults.push(`a ${name.split('-')[0]} is ${how}`);
    const from = Date.now();
    const undo = await strike(instances, index, how);
    await pause(longer);
    undo();
    if (how === 'stalled') delays.push({ by: name, from, until: Date.now() + LATE_MS });
  }
  return { faults, delays };
}

async function eventually<T>(look: () => T | undefined, what: string): Promise<T> {
  for (const giveUpAt = Date.now() + TAKEN_OVER_MS; ; await sleep(200)) {
    const found = look();
    if (found !== undefined) return found;
    if (Date.now() > giveUpAt) throw new Error(`it does not come to it that ${what}`);
  }
}

function leaderIn(writes: readonly Write[], names: readonly string[]): number | undefined {
  const changes = writes.filter(({ by, holder, code }) => names.includes(by) && holder !== undefined && code < 300);
  const last = changes.sort((a, b) => a.answered - b.answered).at(-1);
  const index = names.indexOf(last?.by ?? '');
  return last?.holder === '' || index < 0 ? undefined : index;
}

/** Waits until every request is fulfilled. Resolves to a violation for each request that is not. */
async function unfinished(loads: readonly Workload[], settleMs: number): Promise<Violation[]> {
  const end = Date.now() + settleMs;
  let open = loads.flatMap(({ wishes }) => wishes);
  for (;;) {
    const left = [];
    const messages: string[] = [];
    for (const wish of open) {
      const missing = await wish.missing().catch((error: Error) => error.message);
      if (missing === undefined) continue;
      left.push(wish);
      messages.push(`${wish.what}: ${missing}`);
    }
    if (left.length === 0 || Date.now() > end)
      return messages.map((message) => ({ law: 'finished' as const, message }));
    open = left;
    await sleep(500);
  }
}
