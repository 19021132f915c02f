import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { timerMs } from '#base/time/longest-timer.ts';
import { releaseParts } from '#program/flags/release.ts';
import type { FamilyValues } from '#program/metrics/family-definition.ts';
import { MetricSet } from '#program/metrics/metric-set.ts';
import { buildInfo } from '#program/process/build-info.ts';
import { processMetrics } from '#program/process/process-metrics.ts';
import { Verbosity } from '#program/process/verbosity.ts';
import { watchLoop } from '#program/tracing/blocked-loop.ts';
import type { Tracer } from '#program/tracing/trace-span.ts';
import type { ServerOptions } from '../config/options.ts';
import type { TracingOptions } from '../config/tracing-options.ts';
import { listen } from '../http/listener.ts';
import { addressMetrics } from '../observability/address-metrics.ts';
import { createAudit } from '../observability/audit/create-audit.ts';
import type { HealthPath } from '../observability/health-check.ts';
import { ruleMetrics } from '../observability/rule-metrics.ts';
import { giveBackMemory } from '../observability/small-heap.ts';
import { StartHooks } from '../observability/start-hooks.ts';
import type { WorkerPool } from '../observability/worker-pool.ts';
import { aggregate } from './aggregation.ts';
import { bootstrap } from './bootstrap.ts';
import { builtInKinds } from './built-in-kinds.ts';
import { createCache } from './cache.ts';
import { serveCustomResources } from './custom-resources.ts';
import { createHandlers } from './handlers.ts';
import { createHealth } from './health.ts';
import type { Inside } from './inside.ts';
import { createPolicy } from './policy.ts';
import { ensureServingCertificate } from './serving-certificate.ts';
import { startStore } from './store.ts';

/** The time in milliseconds until all workers refuse connections. Workers of one replica stop at the same time. */
const WORKERS_REFUSE = 200;

/** The trace exporter is loaded only if it is used. */
async function startTracer(options: TracingOptions, instance: string, log: Logger): Promise<Tracer> {
  const { otlpTracer } = await import('../observability/traces/otlp-tracer.ts');
  return otlpTracer(options, instance, log);
}

/** A replica that serves. */
export interface RunningServer {
  readonly port: number;
  /**
   * A connection from inside this process. It uses HTTP/1.1 without encryption.
   *
   * @param certificate DER of the certificate that the client shows
   */
  connect(certificate?: Buffer): Duplex;
  /** Ends all connections at once, like a process that is killed. */
  cut(): void;
  /** Drops the changes that led to the present state. A request for them reads from the store, or gets a 410. */
  forgetHistory(): void;
  /** Names of the checks of a health path that fail in this process. */
  failing(path: HealthPath): Promise<readonly string[]>;
  /** The metrics of this process. */
  metricValues(): Promise<readonly FamilyValues[]>;
  /**
   * Stops the replica. Readiness fails first. After `--shutdown-delay-duration` new connections are refused, streams
   * end together with their connections, and running requests continue. Resolves when everything has ended.
   */
  stop(): Promise<void>;
}

/**
 * Starts a replica, or one of its workers, in stages: store, cache, policy, handlers, listener. Each stage uses the
 * results of the earlier ones, and they stop in reverse order. Rejects with a clear error if a stage fails.
 */
export async function startServer(
  options: ServerOptions,
  log: Logger,
  verbosity = new Verbosity(options.verbosity ?? 0),
  workerPool?: WorkerPool,
  inside: Inside = {},
): Promise<RunningServer> {
  const { naming, etcd, serving, http } = options;
  /** Signals for three moments: when shutdown is announced, when streams end, and when background work ends. */
  const departing = new AbortController();
  const leaving = new AbortController();
  setMaxListeners(0, leaving.signal);
  const state = { draining: false };

  const warning = ensureServingCertificate(options);
  if (warning !== undefined && workerPool === undefined) log.warn(warning);
  const metrics = new MetricSet({
    limits: options.metrics.limits,
    release: releaseParts(options.release),
    translate: (text) => naming.translate(text),
    warn: (text) => log.warn(text),
  });
  watchLoop();
  processMetrics(metrics, leaving.signal);
  buildInfo(metrics, releaseParts(options.release));
  ruleMetrics(metrics, leaving.signal);
  const auditing = await createAudit(options.audit, naming, metrics, log);
  const kinds = builtInKinds(options);
  addressMetrics(metrics, kinds.serviceRanges);
  const storage = await startStore(options, { kinds, metrics, given: inside.store }, log, leaving.signal);
  const { store, encryption } = storage;
  const hooks = new StartHooks(naming, options.release, [
    ...(options.authorizationModes.includes('RBAC') ? [] : (['policy'] as const)),
    options.keepsFlowControl ? 'in-flight' : 'flow-control',
  ]);
  const cache = createCache(kinds, storage, etcd.prefix, log);
  const policy = createPolicy(options, kinds, { store, cache, metrics }, log);
  await cache.start();
  encryption?.onChance(() => {
    cache
      .retrySealed()
      .catch((error) => log.warn({ err: error }, 'values that could not be decrypted still cannot be read'));
  });
  hooks.complete('cache');
  const custom = await serveCustomResources(policy, metrics, log, leaving.signal);
  hooks.complete('definitions');
  const aggregation = await aggregate(options, { ...policy, metrics }, log, leaving.signal);
  hooks.complete('aggregation');
  const bootstrapped = await bootstrap(options, { ...policy, ranges: kinds.serviceRanges, hooks }, log, leaving.signal);
  const health = createHealth(options, {
    store,
    cache,
    elsewhere: storage.elsewhere,
    encryption,
    workerPool,
    hooks,
    log,
    draining: () => state.draining,
  });
  const tracer =
    options.tracing && (await startTracer(options.tracing, `${naming.prefixed('apiserver')}-${randomUUID()}`, log));
  const parts = {
    metrics,
    verbosity,
    tracer,
    policy,
    store,
    health,
    aggregation,
    auditing,
    workerPool,
    filters: inside.filters ?? [],
    log,
    leaving: leaving.signal,
  };
  const { app, messages, respond, departure } = createHandlers(options, parts);
  giveBackMemory();
  const listener = await listen(app, {
    messages,
    metrics,
    certFile: serving.certFile,
    keyFile: serving.keyFile,
    tls: serving.tls,
    named: serving.namedCertificates,
    sharePort: serving.sharePort,
    proxies: serving.proxies,
    clientCa: policy.authentication.clientCa,
    mayUpgrade: aggregation.isRemote,
    http2: http.http2 && { ...http.http2, respond },
    address: serving.address,
    port: serving.port,
    log,
  });
  bootstrapped.announce(departing.signal);
  void cache.readAhead();
  log.info({ address: serving.address, port: listener.port, revision: cache.frontier }, 'serving');

  return {
    port: listener.port,
    connect: (certificate) => listener.connect(certificate),
    cut: () => listener.cut(),
    forgetHistory: () => cache.forgetHistory(),
    failing: (path) => health.failing(path),
    async metricValues() {
      await metrics.collect();
      return metrics.values();
    },
    async stop() {
      state.draining = true;
      departing.abort();
      await sleep(timerMs(http.shutdownDelayMs));
      // They stop in this order, so that a client whose stream ends finds another server on any connection.
      listener.leave();
      if (departure === undefined) {
        await listener.refuse();
        if (workerPool !== undefined) await sleep(WORKERS_REFUSE);
        leaving.abort();
      } else {
        const departed = departure.begin(options.requestTimeoutMs);
        leaving.abort();
        await departed;
      }
      await listener.drain();
      await bootstrapped.ended();
      await aggregation.ended();
      await custom.ended();
      await auditing.audit?.stop();
      await tracer?.stop();
      await cache.stop();
      await storage.stop();
    },
  };
}
