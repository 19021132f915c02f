import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { timerMs } from '#base/time/longest-timer.ts';
import { Client } from '#client/client.ts';
import { credentialsOf } from '#client/connection/credentials.ts';
import { Discovery } from '#client/discovery/discovery.ts';
import { ApiError, FencedError } from '#client/errors.ts';
import { EventRecorder } from '#client/events/recorder.ts';
import { coordinationV1 } from '#client/generated/resources.ts';
import { Pools } from '#client/http/pools.ts';
import { Transport } from '#client/http/transport.ts';
import { SharedInformers } from '#client/informer/shared-informers.ts';
import { standForElection } from '#client/leader/elect.ts';
import { forwardClock, Leadership } from '#client/leader/leadership.ts';
import type { ResourceType } from '#client/resource-type.ts';
import { type Reconcile, WorkQueue } from '#client/work/work-queue.ts';
import type { Connection } from '#program/connection/connection.ts';
import type { Trust } from '#program/connection/kept-connections.ts';
import type { Dial } from '#program/connection/proxy.ts';
import type { Lease } from '#schema/generated/coordination.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Controller, ManagerFlags, Queue, QueueOptions, Standing, Term } from '../controller.ts';
import { accountCredentials } from './account-tokens.ts';
import type { ManagerMetrics } from './metrics.ts';
import { queueName } from './queue-names.ts';

export interface ManagerOptions {
  readonly flags: ManagerFlags;
  readonly connection: Connection;
  /** Makes the connections for an identity, instead of the usual way. */
  readonly dialAs?: (identity: Trust) => Dial;
  /** The name of the program for the API server, without the prefix of the naming; `controller-manager` by default. */
  readonly component?: string;
  readonly controllers: readonly Controller[];
  readonly identity: string;
  readonly metrics: ManagerMetrics;
  readonly log: Logger;
}

/** The time limit of the manager's own reads, except for watches and lists. These end only with the instance. */
const READ_TIMEOUT_MS = 60_000;

/**
 * One instance of the controller manager. It fills its copies of collections at once and takes part in the election.
 * While it leads, its controllers act. An instance that does not lead is ready to take over the work.
 */
export class Manager {
  readonly #options: ManagerOptions;
  readonly #transport: Transport;
  /** Connections with the manager's own identity. */
  readonly #pools: Pools;
  /** Connections without a certificate, which controllers with their own tokens share. */
  readonly #tokenPools: Pools;
  readonly #clients = new Map<string, Client>();
  readonly #client: Client;
  readonly #informers: SharedInformers;
  readonly #discovery: Discovery;
  #leadership: Leadership | undefined;
  #started: readonly string[] = [];

  constructor(options: ManagerOptions) {
    const { connection, flags, log, metrics, component = 'controller-manager' } = options;
    this.#options = options;
    const { server, proxyUrl } = connection.cluster;
    const way = options.dialAs ?? proxyUrl;
    this.#pools = new Pools(new URL(server).origin, way);
    this.#transport = new Transport({
      server,
      connections: this.#pools,
      credentials: credentialsOf(connection),
      timeoutMs: READ_TIMEOUT_MS,
      onAttempt: (attempt) => metrics.called(attempt),
      userAgent: flags.naming.prefixed(component),
    });
    this.#tokenPools = new Pools(new URL(server).origin, way);
    this.#client = new Client(this.#transport, flags.naming);
    this.#discovery = new Discovery(this.#client);
    const least = flags.get('min-resync-period');
    this.#informers = new SharedInformers(this.#client, {
      resyncMs: least * (1 + Math.random()),
      onError: (what, err, retryInMs) => {
        // The informer opens an ended stream again. It reports an error only if that does not help.
        const level = err instanceof ApiError && err.code === 410 ? 'debug' : 'warn';
        log[level]({ err, ...(retryInMs === undefined ? {} : { retryInMs: Math.round(retryInMs) }) }, `${what} failed`);
      },
    });
    metrics.countObjects(() => this.#informers.size);
  }

  /** The client with the manager's own identity. */
  get client(): Client {
    return this.#client;
  }

  /** The collections whose copies are not filled yet. */
  get unfilled(): readonly string[] {
    return this.#informers.unfilled;
  }

  /** The controllers that act now. */
  get started(): readonly string[] {
    return this.#started;
  }

  /** Whether this instance leads now. */
  get leads(): boolean {
    return this.#leadership?.holds === true;
  }

  /** Runs until the signal aborts. Resolves when all work has ended and the lease is released. */
  async run(signal: AbortSignal): Promise<void> {
    const { flags, controllers, log, identity, metrics } = this.#options;
    // The copies are kept up to date until the started work has ended.
    const ended = new AbortController();
    const running = controllers.filter((controller) => {
      const reason = controller.unavailable?.(flags);
      if (reason !== undefined) log.info({ controller: controller.name }, `the controller does not run: ${reason}`);
      return reason === undefined;
    });
    const prepared = running.map((controller) => {
      for (const { type, ...more } of controller.needs) this.#informers.of(type as ResourceType, more);
      return { controller, prepared: controller.prepare?.(this.#standing(controller, ended.signal)) };
    });
    this.#informers.start(ended.signal);
    const lead = (leadership: Leadership, lease?: Lease) => {
      // Events about the lease name the program by the name of the lease.
      const component = flags.get('leader-elect-resource-name');
      const events = this.#recorder(this.#client, component, leadership);
      if (lease !== undefined)
        events.normal(coordinationV1.leases, lease, 'LeaderElection', `${identity} became leader`);
      return this.#lead(leadership, prepared, ended.signal);
    };
    try {
      if (!flags.get('leader-elect')) {
        const forever = new Leadership(forwardClock(), 0, Number.MAX_SAFE_INTEGER);
        signal.addEventListener('abort', () => forever.end('asked to stop'), { once: true });
        await lead(forever);
        return;
      }
      const name = flags.get('leader-elect-resource-name');
      metrics.lead(name, false);
      await standForElection(
        this.#client,
        {
          namespace: flags.get('leader-elect-resource-namespace'),
          name,
          identity,
          leaseDurationMs: flags.get('leader-elect-lease-duration'),
          renewDeadlineMs: flags.get('leader-elect-renew-deadline'),
          retryPeriodMs: flags.get('leader-elect-retry-period'),
          onLeader: (leader) =>
            log.info(
              { leader },
              leader === identity ? 'this instance is the leader' : 'another instance is the leader',
            ),
          onError: (err) => log.warn({ err }, 'the lease could not be read or written'),
        },
        lead,
        signal,
      );
    } finally {
      ended.abort();
      await Promise.all([this.#transport.close(), this.#tokenPools.destroy()]);
    }
  }

  async #lead(
    leadership: Leadership,
    controllers: readonly { readonly controller: Controller; readonly prepared: unknown }[],
    ended: AbortSignal,
  ): Promise<void> {
    const { flags, log, metrics } = this.#options;
    const lease = flags.get('leader-elect-resource-name');
    const over = new Promise<void>((resolve) => {
      if (leadership.signal.aborted) resolve();
      else leadership.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    this.#leadership = leadership;
    metrics.lead(lease, true);
    const work: Promise<void>[] = [];
    try {
      const slow = setTimeout(
        () => log.warn({ collections: this.#informers.unfilled }, 'waiting for the informers to list their objects'),
        10_000,
      );
      await Promise.race([this.#informers.ready(), over]);
      clearTimeout(slow);
      for (const { controller, prepared } of controllers) {
        if (!leadership.holds) break;
        try {
          await controller.start(this.#term(controller, prepared, leadership, ended, work));
          this.#started = [...this.#started, controller.name];
          log.debug({ controller: controller.name }, 'started');
        } catch (err) {
          if (leadership.holds) log.error({ err, controller: controller.name }, 'did not start');
        }
        const interval = flags.get('controller-start-interval');
        if (interval > 0) await sleep(timerMs(interval), undefined, { signal: leadership.signal }).catch(() => {});
      }
      await over;
    } finally {
      this.#leadership = undefined;
      this.#started = [];
      metrics.lead(lease, false);
      const limit = new AbortController();
      const late = sleep(timerMs(flags.get('controller-shutdown-timeout')), true, { signal: limit.signal }).catch(
        () => false,
      );
      if (await Promise.race([Promise.all(work).then(() => false), late]))
        log.warn('the controllers did not finish their work in time');
      limit.abort();
      log.info({ reason: String(leadership.signal.reason?.message ?? '') }, 'this instance is no longer the leader');
    }
  }

  #standing({ name }: Controller, ended: AbortSignal): Standing {
    const { flags, log } = this.#options;
    return {
      naming: flags.naming,
      flags,
      log: log.child({ controller: name }),
      informers: this.#informers,
      discovery: this.#discovery,
      reader: this.#client,
      ended,
    };
  }

  #term(
    controller: Controller,
    prepared: unknown,
    leadership: Leadership,
    ended: AbortSignal,
    work: Promise<void>[],
  ): Term {
    const standing = this.#standing(controller, ended);
    const { signal } = leadership;
    const { metrics } = this.#options;
    const own = this.#clientOf(controller);
    return {
      ...standing,
      client: own.guarded(() => leadership.check(), signal),
      events: this.#recorder(own, controller.component ?? controller.account ?? controller.name, leadership),
      metrics: metrics.families,
      signal,
      prepared,
      informer: <T extends ApiObject>(type: ResourceType<T>) => this.#informers.of(type),
      queue: (reconcile: Reconcile, { name = queueName(controller.name), ...options }: QueueOptions = {}): Queue => {
        const observer = metrics.observe(name);
        const queue = new WorkQueue({
          ...options,
          observer,
          onError: (key, err, failures, retryInMs) => {
            if (err instanceof FencedError) return;
            // A conflict only means that the copy was a moment behind.
            const level = err instanceof ApiError && err.code === 409 ? 'debug' : 'warn';
            standing.log[level](
              { err, key, failures, retryInMs: Math.round(retryInMs) },
              'failed, will be tried again',
            );
          },
        });
        observer.is(queue);
        work.push(queue.run(reconcile, signal));
        return queue;
      },
      now: Date.now,
    };
  }

  /** A recorder that sends Events as long as this instance leads. */
  #recorder(client: Client, component: string, leadership: Leadership): EventRecorder {
    const { signal } = leadership;
    return new EventRecorder(
      client.guarded(() => leadership.check(), signal),
      { component, signal, onError: (err) => this.#options.log.debug({ err, component }, 'an event was not written') },
    );
  }

  /**
   * The client of a controller. It has a separate identity if the options ask for it, and always a separate rate limit.
   */
  #clientOf({ name, account, rate = 1 }: Controller): Client {
    const id = account ?? name;
    const known = this.#clients.get(id);
    if (known !== undefined) return known;
    const { flags, connection, metrics, component = 'controller-manager' } = this.#options;
    const own = account !== undefined && flags.get('use-service-account-credentials');
    const namespace = flags.naming.prefixed('system');
    const transport = new Transport({
      server: connection.cluster.server,
      credentials: own ? accountCredentials(this.#client, connection, namespace, account) : credentialsOf(connection),
      qps: flags.get('{prefix}api-qps') * rate,
      burst: flags.get('{prefix}api-burst') * rate,
      userAgent: `${flags.naming.prefixed(component)}/${id}`,
      connections: own ? this.#tokenPools : this.#pools,
      onAttempt: (attempt) => metrics.called(attempt),
    });
    const client = new Client(transport, flags.naming);
    this.#clients.set(id, client);
    return client;
  }
}
