import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EtcdProcess } from '../../../storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from '../../replica.ts';
import { Client } from '../client.ts';
import type { LinkState } from '../link.ts';
import { Random } from '../random.ts';
import { auditFlags, readWrites } from './audited.ts';
import { check, type Delay, type Violation, type Write } from './check.ts';
import { instanceName, LEASE_MS, Managers } from './managers.ts';
import { Workload } from './workload.ts';

export interface ControllersRunOptions {
  readonly seed: number;
  /** How long faults go on. */
  readonly seconds: number;
  /** The folder of the built programs. */
  readonly dist?: string;
  /** What is done to the managers; the default is everything, at random. */
  readonly harm?: (managers: Managers, random: Random, stop: AbortSignal) => Promise<Harm>;
  /** Told what goes on. */
  readonly say?: (line: string) => void;
}

/** What was done, and what it may have held up. */
export interface Harm {
  readonly faults: readonly string[];
  readonly delays: readonly Delay[];
}

export interface ControllersRunResult {
  readonly violations: readonly Violation[];
  readonly writes: readonly Write[];
  readonly faults: readonly string[];
  /** What was asked for, by kind. */
  readonly counts: ReadonlyMap<string, number>;
  /** How often the lease went to another instance. */
  readonly transitions: number;
  /** Files with what the managers said. */
  readonly logs: readonly string[];
}

const REPLICAS = 2;
const MANAGERS = 3;
const CLIENTS = 2;
/** Between two wishes of a client, in milliseconds. */
const PAUSE_MS = 150;
/** How long everything may take to be done after the last fault. */
const SETTLE_MS = 120_000;
/** What was held up arrives soon after its link is whole: it is sent again by TCP, and waits for its turn. */
const LATE_MS = 5_000;

/** Lets clients ask controllers for work while their managers are harmed, and checks what those did. */
export async function runControllers(options: ControllersRunOptions): Promise<ControllersRunResult> {
  const { seed, seconds, harm = anything, say = () => {} } = options;
  const dist = options.dist ?? path.resolve(import.meta.dirname, '../../../dist');
  const random = new Random(seed);
  const pki = temporaryPki();
  const names = Array.from({ length: MANAGERS }, (_, i) => instanceName(i));
  const etcd = await EtcdProcess.start();
  const replicas: Replica[] = [];
  const client = new Client('workload', pki);
  let managers: Managers | undefined;
  try {
    const files: string[] = [];
    for (let i = 0; i < REPLICAS; i++) {
      const { flags, file } = auditFlags(pki, i, names);
      files.push(file);
      replicas.push(await startReplica(pki, etcd.endpoint, { flags, dist }));
    }
    const ports = replicas.map(({ port }) => port);
    managers = await Managers.start(
      pki,
      names.map((_, i) => ports[i % REPLICAS]!),
      dist,
    );
    say(`${MANAGERS} controller managers on ${REPLICAS} replicas; ${seconds} s of faults with seed ${seed}`);
    const loads = Array.from({ length: CLIENTS }, (_, i) => new Workload(client, ports, random.fork(i + 1), String(i)));
    await loads[0]!.prepare();
    const until = AbortSignal.timeout(seconds * 1000);
    const working = Promise.all(loads.map((load) => load.run(PAUSE_MS, until)));
    const { faults, delays } = await harm(managers, random.fork(100), until);
    await working;
    say('everything is whole again; controllers catch up');
    const violations = await unfinished(loads);
    const writes = files.flatMap(readWrites);
    violations.push(...check(writes, delays));
    const counts = new Map<string, number>();
    for (const load of loads)
      for (const [kind, count] of load.counts) counts.set(kind, (counts.get(kind) ?? 0) + count);
    return { violations, writes, faults, counts, transitions: transitionsIn(writes), logs: managers.logs };
  } finally {
    client.close();
    await managers?.stop();
    await Promise.all(replicas.map((replica) => replica.stop()));
    await etcd.stop();
  }
}

/** One fault after the other, each for long enough that the lease may be lost; the leader is not known, and not spared. */
async function anything(managers: Managers, random: Random, stop: AbortSignal): Promise<Harm> {
  const faults: string[] = [];
  const delays: Delay[] = [];
  const pause = (ms: number) => sleep(ms, undefined, { signal: stop }).catch(() => {});
  while (!stop.aborted) {
    await pause(random.between(500, 4000));
    if (stop.aborted) break;
    const index = random.between(0, MANAGERS - 1);
    const longer = random.between(500, 2 * LEASE_MS);
    const kind = random.of(['killed', 'stopped', 'frozen', 'frozen', 'cut', 'stalled'] as const);
    faults.push(`a manager is ${kind}`);
    const from = Date.now();
    switch (kind) {
      case 'killed':
      case 'stopped':
        await managers.end(index, kind === 'killed' ? 'kill' : 'stop');
        await pause(longer);
        managers.launch(index);
        break;
      case 'frozen':
        managers.freeze(index, true);
        await pause(longer);
        managers.freeze(index, false);
        break;
      default:
        managers.setLink(index, kind satisfies LinkState);
        await pause(longer);
        managers.setLink(index, 'open');
        if (kind === 'stalled') delays.push({ by: instanceName(index), from, until: Date.now() + LATE_MS });
    }
  }
  return { faults, delays };
}

/** Waits until every wish has come true; what has not. */
async function unfinished(loads: readonly Workload[]): Promise<Violation[]> {
  const end = Date.now() + SETTLE_MS;
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

function transitionsIn(writes: readonly Write[]): number {
  const taken = writes.filter(({ holder, code }) => holder && code < 300).sort((a, b) => a.answered - b.answered);
  return taken.filter(({ by }, i) => i > 0 && taken[i - 1]!.by !== by).length;
}
