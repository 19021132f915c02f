import { cpuMs } from './process-usage.ts';

/** The cost of one kind of request. */
export interface Measurement {
  readonly requests: number;
  /** Processor time of the server for each request, in milliseconds. */
  readonly cpuMs: number;
  /** Latencies in milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
}

/** One line of the table: the work, its cost, and the goal for its cost (milliseconds of processor time). */
export interface Row extends Partial<Measurement> {
  readonly work: string;
  readonly goal?: number;
  readonly note?: string;
}

/** One request; resolves with its complete answer. */
export type Request = (n: number) => Promise<unknown>;

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/**
 * Sends `count` requests from `clients` clients, after a tenth as many to warm up, and measures the processor time of
 * the process `pid` for them. Each client sends its requests one after the other.
 */
export async function measure(pid: number, clients: number, count: number, request: Request): Promise<Measurement> {
  let sent = 0;
  const latencies: number[] = [];
  const client = async (limit: number): Promise<void> => {
    while (sent < limit) {
      const n = sent++;
      const started = performance.now();
      await request(n);
      latencies.push(performance.now() - started);
    }
  };
  const all = (limit: number) => Promise.all(Array.from({ length: clients }, () => client(limit)));
  const warm = Math.ceil(count / 10);
  await all(warm);
  latencies.length = 0;
  const cpu = cpuMs(pid);
  const started = performance.now();
  await all(warm + count);
  const seconds = (performance.now() - started) / 1000;
  const used = cpuMs(pid) - cpu;
  latencies.sort((a, b) => a - b);
  return {
    requests: latencies.length,
    cpuMs: used / latencies.length,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    perSecond: latencies.length / seconds,
  };
}

/** The round with the least processor time: other work on the machine can only add to the server's own need. */
function cheapest(rounds: readonly Measurement[]): Measurement {
  return rounds.reduce((best, one) => (one.cpuMs < best.cpuMs ? one : best));
}

/** In how many rounds the requests of a row are measured. */
const ROUNDS = 12;

/** Measures `count` requests in rounds, and returns the cheapest round. */
export async function inRounds(pid: number, clients: number, count: number, request: Request): Promise<Measurement> {
  const rounds: Measurement[] = [];
  while (rounds.length < ROUNDS) rounds.push(await measure(pid, clients, Math.ceil(count / ROUNDS), request));
  return cheapest(rounds);
}

/** The same request as it goes to one of several servers. */
export interface Turn {
  readonly pid: number;
  readonly request: Request;
}

/**
 * Measures the same requests on several servers in turns, so that other work on the machine affects all of them alike.
 * Returns the cheapest turn of each server.
 */
export async function inTurns(servers: readonly Turn[], count: number): Promise<Measurement[]> {
  return (await turns(servers, 16, count, ROUNDS)).map(cheapest);
}

/** Every turn of every server. Each round starts with another server, so that other work affects all equally. */
export async function turns(
  servers: readonly Turn[],
  clients: number,
  count: number,
  rounds: number,
): Promise<Measurement[][]> {
  const measured: Measurement[][] = servers.map(() => []);
  for (let turn = 0; turn < rounds; turn++) {
    for (const i of servers.keys()) {
      const n = (turn + i) % servers.length;
      const { pid, request } = servers[n]!;
      measured[n]!.push(await measure(pid, clients, count, request));
    }
  }
  return measured;
}

/** Sends `count` requests from 16 clients, unmeasured. */
export async function repeat(count: number, request: Request): Promise<void> {
  let next = 0;
  const client = async (): Promise<void> => {
    while (next < count) await request(next++);
  };
  await Promise.all(Array.from({ length: 16 }, client));
}
