import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { startCompactor } from '../../storage-etcd/compactor.ts';
import { createAdmission } from '../admission/create-admission.ts';
import { ServiceRanges } from '../allocation/service-ranges.ts';
import { chain } from '../api/filter.ts';
import { Registry, selectableFields, storageId } from '../api/registry.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { KindRules } from '../api/resource-definition.ts';
import { createAuthentication } from '../authentication/create-authentication.ts';
import { tokenHandlers } from '../authentication/handlers.ts';
import { Authorization } from '../authorization/create-authorization.ts';
import { impersonator } from '../authorization/impersonate.ts';
import { reviewHandlers } from '../authorization/review-handlers.ts';
import { writeGuard } from '../authorization/write-guard.ts';
import { WatchCache } from '../cache/watch-cache.ts';
import { knownApis } from '../config/known-apis.ts';
import type { ServerOptions } from '../config/options.ts';
import { RELEASE } from '../config/release.ts';
import { createApp } from '../http/app.ts';
import { dispatcher } from '../http/dispatch.ts';
import { auditFilter, auditRefusedFilter } from '../http/filters/audit.ts';
import { authenticateFilter } from '../http/filters/authenticate.ts';
import { authorizeFilter } from '../http/filters/authorize.ts';
import { checkTimeout } from '../http/filters/check-timeout.ts';
import { allowOrigins } from '../http/filters/cors.ts';
import { impersonateFilter } from '../http/filters/impersonate.ts';
import { limitInflight } from '../http/filters/limit-inflight.ts';
import { sendAway } from '../http/filters/send-away.ts';
import { strictTransportSecurity } from '../http/filters/strict-transport-security.ts';
import { listen } from '../http/listener.ts';
import { createRoutes } from '../http/routes/routes.ts';
import { kindRules } from '../kinds/index.ts';
import { createAudit } from '../observability/audit/create-audit.ts';
import { databaseSize } from '../observability/database-size.ts';
import { giveBackMemory } from '../observability/give-back-memory.ts';
import { Health } from '../observability/health.ts';
import type { HealthPath } from '../observability/health-check.ts';
import type { MetricValues } from '../observability/metrics.ts';
import { Metrics } from '../observability/metrics.ts';
import { serverChecks } from '../observability/server-checks.ts';
import { type Siblings, siblingsCheck } from '../observability/siblings.ts';
import { OpenApi } from '../openapi/openapi.ts';
import { builtInSections } from '../openapi/sections.ts';
import { resourceHandlers } from '../registry/resource-handlers.ts';
import { loadSchema } from '../schema/load.ts';
import type { Schema } from '../schema/types.ts';
import { subresourceHandlers } from '../subresources/index.ts';
import { bootstrap } from './bootstrap.ts';
import { openStore } from './open-store.ts';
import { ensureServingCertificate } from './serving-certificate.ts';

/** Workers of one replica are asked to end together; after so long all of them refuse connections, in milliseconds. */
const SIBLINGS_REFUSE = 200;

/** A replica that serves. */
export interface RunningServer {
  readonly port: number;
  /** Names of the checks of a health path that fail in this process. */
  failing(path: HealthPath): Promise<readonly string[]>;
  /** The metrics of this process. */
  metricValues(): Promise<MetricValues>;
  /**
   * Readiness fails first. After `--shutdown-delay-duration` new connections are refused, streams end together with
   * theirs, and requests under way go on. Resolves when nothing is left.
   */
  stop(): Promise<void>;
}

/** What the cache keeps of each stored resource: the labels that any of its versions accepts in field selectors. */
function cachedResources(schema: Schema, rules: ReadonlyMap<string, KindRules>) {
  const labels = new Map<string, { group: string; plural: string; labels: Set<string> }>();
  for (const { resources } of schema.groupVersions) {
    for (const { storage, selectableFields: fields } of resources) {
      if (storage === undefined) continue;
      const id = storageId(storage.group, storage.plural);
      const entry = labels.get(id) ?? { group: storage.group, plural: storage.plural, labels: new Set<string>() };
      for (const field of fields) if (!field.startsWith('metadata.')) entry.labels.add(field);
      labels.set(id, entry);
    }
  }
  return [...labels].map(([id, { group, plural, labels: set }]) => {
    const extract = selectableFields([...set], rules.get(id) ?? { group, plural });
    return set.size === 0 ? { group, plural } : { group, plural, extract };
  });
}

/**
 * Starts a replica, or one of its workers: connects to the store, fills the cache, listens. Rejects with a clear error
 * when it cannot.
 */
export async function startServer(options: ServerOptions, log: Logger, siblings?: Siblings): Promise<RunningServer> {
  const { naming, gates, flags, etcd, serving } = options;
  ensureServingCertificate(options);
  const { audit, metrics: auditMetrics } = await createAudit(options.audit, naming, log);
  const schema = loadSchema(naming);
  options.runtimeConfig.check(knownApis(schema));
  const serviceRanges = new ServiceRanges({
    clusterIpRanges: options.serviceClusterIpRanges,
    nodePortRange: flags.get('service-node-port-range'),
    reserveStatic: gates.enabled('ServiceIPStaticSubrange'),
  });
  const rules = kindRules({ serviceRanges, eventTtlSeconds: options.eventTtlSeconds });
  const store = await openStore(etcd, naming);
  const cache = new WatchCache({ store, prefix: etcd.prefix, resources: cachedResources(schema, rules), log });
  const admission = createAdmission(options, (question) => authorization.access(question));
  const registry = new Registry({
    schema,
    naming,
    gates,
    store,
    cache,
    rules,
    admission: admission.chain,
    allowPrivileged: options.allowPrivileged,
    deleteWorkers: options.deleteWorkers,
    collectsGarbage: flags.get('enable-garbage-collector'),
    guard: {
      write: (write) => guard.write(write),
      createByUpdate: (context) => guard.createByUpdate(context),
    },
    etcdPrefix: etcd.prefix,
    enabled: options.runtimeConfig.enabled,
  });
  const authorization = new Authorization(options, registry, log);
  const guard = writeGuard(authorization, naming);
  const authentication = createAuthentication(options.authentication, {
    reader: authorization.reader,
    naming,
    onError: (error) => log.warn({ err: error }, 'authentication has trouble with a file or an issuer'),
  });
  /** Aborts when the end has been announced, and when streams and what goes on in the background end. */
  const departing = new AbortController();
  const leaving = new AbortController();
  setMaxListeners(0, leaving.signal);
  const state = { draining: false };
  const compactor = startCompactor(store, {
    intervalMs: etcd.compactionIntervalMs,
    key: `${etcd.prefix}/store:compaction`,
    signal: leaving.signal,
    onError: (error) => log.warn({ err: error }, 'compaction failed; the next interval tries again'),
  });
  await cache.start();
  const bootstrapped = await bootstrap(options, { registry, admission, ranges: serviceRanges }, log, leaving.signal);

  const health = new Health();
  const healthTimeoutMs = flags.get('etcd-healthcheck-timeout');
  health.add(
    ...serverChecks({
      store,
      cache,
      draining: () => state.draining,
      hooks: options.authorizationModes.includes('RBAC') ? { 'rbac/bootstrap-roles': bootstrapped.hasPolicy } : {},
      graceMs: flags.get('livez-grace-period'),
      storeTimeoutMs: {
        healthz: healthTimeoutMs,
        livez: healthTimeoutMs,
        readyz: flags.get('etcd-readycheck-timeout'),
      },
    }),
  );
  if (siblings !== undefined) health.add(siblingsCheck(siblings));

  const share = (limit: number) => Math.ceil(limit / (siblings?.count ?? 1));
  const inflight = limitInflight(
    share(flags.get('max-requests-inflight')),
    share(flags.get('max-mutating-requests-inflight')),
  );
  const metrics = new Metrics(registry, inflight, RELEASE.gitVersion, siblings);
  metrics.add(...admission.metrics.all, ...auditMetrics.all);
  metrics.add(...databaseSize(store, options.metrics.databaseSizeIntervalMs, leaving.signal));
  metrics.limit(options.metrics.limits);
  const routes = createRoutes({
    registry,
    externalAddress: serving.externalAddress,
    health,
    metrics,
    openapi: new OpenApi(naming, builtInSections(registry)),
    documents: authentication.issuerDocuments,
  });
  const limits = { minRequestTimeoutSeconds: options.minRequestTimeoutSeconds };
  const special = new Map([
    ...subresourceHandlers(registry, options),
    ...reviewHandlers(registry, authorization),
    ...tokenHandlers(registry, authentication),
  ]);
  const handlers = resourceHandlers(registry, special, limits);
  const authenticate = (context: RequestContext) =>
    authentication.user(
      {
        // few users are named in headers, and Node makes these when they are asked for
        get headers() {
          return context.raw().request.headersDistinct;
        },
        peerCertificates: context.peerCertificates(),
        remoteAddress: context.remoteAddress,
        warn: (text) => context.warnings.add(text),
      },
      (reasons) => log.debug({ requestId: context.id, reasons }, 'credentials prove nothing'),
    );
  const { allowedOrigins, transportPolicy, retryAfterWhenStopping } = options.http;
  const departure = retryAfterWhenStopping ? sendAway() : undefined;
  const handler = chain(
    [
      ...(transportPolicy === undefined ? [] : [strictTransportSecurity(transportPolicy)]),
      ...(departure === undefined ? [] : [departure.filter]),
      ...(allowedOrigins.length === 0 ? [] : [allowOrigins(allowedOrigins)]),
      ...(audit === undefined ? [] : [auditRefusedFilter(audit)]),
      checkTimeout,
      authenticateFilter(authenticate),
      ...(audit === undefined ? [] : [auditFilter(audit)]),
      impersonateFilter(impersonator(authorization, naming)),
      inflight.filter,
      authorizeFilter(authorization.authorize),
    ],
    dispatcher(registry, handlers, routes),
  );
  const app = createApp({
    registry,
    handler,
    log,
    leaving: leaving.signal,
    requestTimeoutMs: options.requestTimeoutMs,
    finished: (finished) => metrics.finished(finished),
    watchOpened: (context) => metrics.watchOpened(context),
  });
  giveBackMemory();
  const listener = await listen(app, {
    certFile: serving.certFile,
    keyFile: serving.keyFile,
    tls: serving.tls,
    named: serving.namedCertificates,
    sharePort: serving.sharePort,
    clientCa: authentication.clientCa,
    address: serving.address,
    port: serving.port,
    log,
  });
  bootstrapped.announce(departing.signal);
  void cache.readAhead();
  log.info({ address: serving.address, port: listener.port, revision: cache.frontier }, 'serving');

  return {
    port: listener.port,
    failing: (path) => health.failing(path),
    metricValues: () => metrics.values(),
    async stop() {
      state.draining = true;
      departing.abort();
      await sleep(flags.get('shutdown-delay-duration'));
      // in this order: whose stream ends finds another server, whatever connection it asks on
      listener.leave();
      if (departure === undefined) {
        await listener.refuse();
        if (siblings !== undefined) await sleep(SIBLINGS_REFUSE);
        leaving.abort();
      } else {
        const departed = departure.begin(options.requestTimeoutMs);
        leaving.abort();
        await departed;
      }
      await listener.drain();
      await Promise.all([compactor, bootstrapped.ended()]);
      await audit?.stop();
      await cache.stop();
      await store.close();
    },
  };
}
