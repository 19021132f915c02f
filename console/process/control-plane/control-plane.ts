import { timerMs } from '#base/time/longest-timer.ts';
import type { Client } from '#client/client.ts';
import { coreV1 } from '#client/generated/resources.ts';
import type { Connection } from '#program/connection/connection.ts';
import type { ControlPlane, Leader } from '../../protocol/control-plane.ts';
import { AddressedProcesses, ANSWER_MS } from './addressed-processes.ts';
import { type Expiries, readExpiries } from './expiries.ts';
import { History } from './history.ts';
import { readLeaders } from './leaders.ts';
import { Members } from './members.ts';
import * as summary from './summary.ts';
import type { Watched } from './watched.ts';

/** The time between readings while a page looks, in milliseconds. */
const EVERY_MS = 5_000;

/** The time after the last look for which reading continues, in milliseconds. */
const LOOKED_MS = 30_000;

/** The age above which a page waits for new data, in milliseconds. */
const STALE_MS = 20_000;

/** The window of rates and percentiles, in milliseconds. */
const WINDOW_MS = 60_000;

/** How long the list of certificates is reused, in milliseconds. */
const EXPIRIES_MS = 60_000;

/** Reads the control plane while a page shows it, and stores the last five minutes for plots. */
export class ControlPlaneReader {
  readonly #client: Client;
  readonly #processes: AddressedProcesses;
  readonly #members: Members;
  readonly #history = new History();
  #version = '';
  #revision = 0;
  #leaders: readonly Leader[] | undefined;
  #expiries: Expiries = { certificates: [], missing: [] };
  #expiriesAt = Number.NEGATIVE_INFINITY;
  #at = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;

  /** @param managers addresses of managers; if there are none, the reader tries the usual ports beside the replicas */
  constructor(client: Client, connection: Connection, managers: readonly string[]) {
    this.#client = client;
    this.#processes = new AddressedProcesses(connection);
    this.#members = new Members(client, this.#processes, managers);
  }

  /** The latest data; reads first if they are too old. */
  async look(): Promise<ControlPlane> {
    const isFollowed = this.#timer !== undefined || this.#reading !== undefined;
    this.#lookedAt = performance.now();
    if (!isFollowed) {
      // A plot must not draw a line over a time in which nothing was read.
      this.#history.clear();
      this.#reading = this.#read();
    }
    if (this.#reading !== undefined && Date.now() - this.#at > STALE_MS) await this.#reading;
    return this.#state();
  }

  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
    void this.#members.close();
  }

  async #read(): Promise<void> {
    this.#timer = undefined;
    // The revision of etcd is read first. A cache that is behind this revision was behind before the replica was asked.
    [this.#revision, this.#version] = await Promise.all([this.#etcdRevision(), this.#serverVersion()]);
    await Promise.all([this.#members.read(), this.#readLeaders()]);
    await this.#readExpiries();
    this.#at = Date.now();
    this.#history.add(this.#at, this.#members.replicas);
    this.#reading = undefined;
    if (this.#isEnded || performance.now() - this.#lookedAt > LOOKED_MS) return;
    this.#timer = setTimeout(() => {
      this.#reading = this.#read();
    }, timerMs(EVERY_MS));
  }

  #state(): ControlPlane {
    const [replicas, managers] = [this.#members.replicas, this.#members.managers];
    const spans = spansOf(replicas);
    const known = managers.filter(({ isKnown }) => isKnown);
    const history = this.#history;
    return {
      at: this.#at,
      version: this.#version,
      windowSeconds: windowOf(spans),
      replicasProblem: this.#members.problem,
      replicas: replicas.map((replica) => replica.state(WINDOW_MS)),
      managers: known.map((manager) => manager.state(WINDOW_MS)),
      managersMissing: managers.filter(({ isKnown }) => !isKnown).map(({ address }) => address),
      mayReadMetrics: spans.length > 0,
      requests: summary.requestsIn(spans),
      requestRate: history.requestRate,
      durations: summary.durationsIn(spans),
      durationsOverTime: history.durations,
      inFlight: history.inFlight,
      flows: summary.flowsIn(spans),
      watches: summary.watchesIn(spans),
      caches: summary.cachesIn(spans, this.#revision),
      etcd: summary.membersIn(spans),
      isStorageFull: summary.isStorageFull(spans),
      etcdDurations: summary.etcdDurationsIn(spans),
      leaders: this.#leaders,
      queues: summary.queuesIn(spansOf(known)),
      certificates: this.#expiries.certificates,
      certificatesMissing: this.#expiries.missing,
      clientCertificates: summary.clientCertificatesIn(spans),
      deprecated: summary.deprecatedIn(spans),
    };
  }

  /** The revision of etcd; 0 if the user may not list namespaces, whose list contains it. */
  async #etcdRevision(): Promise<number> {
    try {
      const { metadata } = await this.#client
        .resource(coreV1.namespaces)
        .metadataOnly()
        .list({ limit: 1, timeoutMs: ANSWER_MS });
      return Number(metadata.resourceVersion) || 0;
    } catch {
      return 0;
    }
  }

  async #serverVersion(): Promise<string> {
    try {
      const about = await this.#client.getJson<{ gitVersion?: unknown }>('/version', { timeoutMs: ANSWER_MS });
      return String(about.gitVersion ?? '');
    } catch {
      // The replicas show by themselves that they do not answer.
      return this.#version;
    }
  }

  async #readLeaders(): Promise<void> {
    try {
      this.#leaders = await readLeaders(this.#client);
    } catch {
      // The leases of the last reading stay, with the times of their renewal.
    }
  }

  async #readExpiries(): Promise<void> {
    if (performance.now() - this.#expiriesAt < EXPIRIES_MS) return;
    const managers = this.#members.managers.filter(({ isKnown }) => isKnown);
    const reached = [...this.#members.replicas, ...managers].map(({ address }) => address);
    const addresses = this.#processes.refusal === undefined ? reached : [];
    this.#expiriesAt = performance.now();
    try {
      this.#expiries = await readExpiries(this.#client, this.#processes, addresses);
    } catch {
      // Without credentials, the console cannot read other data either, and the results of the replicas show this.
    }
  }
}

function spansOf(processes: readonly Watched[]): readonly summary.Span[] {
  return processes.flatMap((process) => {
    const { address, latest } = process;
    return latest === undefined ? [] : [{ address, now: latest, before: process.before(WINDOW_MS) }];
  });
}

/** The longest time of all, in whole seconds. */
function windowOf(spans: readonly summary.Span[]): number {
  return Math.round(Math.max(0, ...spans.map(({ now, before }) => now.at - (before?.at ?? now.at))) / 1000);
}
