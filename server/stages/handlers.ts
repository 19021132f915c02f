import type { RequestListener } from 'node:http';
import type { Logger } from 'pino';
import type { MetricSet } from '#program/metrics/metric-set.ts';
import type { Verbosity } from '#program/process/verbosity.ts';
import type { Tracer } from '#program/tracing/trace-span.ts';
import { noWords, wordsSource } from '#schema/words/load.ts';
import type { DataStore } from '#storage/data-store.ts';
import { type Authenticate, chain, type Filter } from '../api/filter.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { AuthenticationRequest, RequestHeaders } from '../authentication/authenticator.ts';
import { tokenHandlers } from '../authentication/handlers.ts';
import { impersonator, mayAskForAnother } from '../authorization/impersonate.ts';
import { reviewHandlers } from '../authorization/review-handlers.ts';
import type { ServerOptions } from '../config/options.ts';
import { createApp, listenerOf, type MessageClasses, messagesOf } from '../http/app.ts';
import { dispatcher } from '../http/dispatch.ts';
import { authenticateFilter, authorizeFilter, impersonateFilter } from '../http/filters/access.ts';
import { auditFilter, auditRefusedFilter } from '../http/filters/audit.ts';
import { checkTimeout } from '../http/filters/check-timeout.ts';
import { allowOrigins } from '../http/filters/cors.ts';
import { limitInflight } from '../http/filters/limit-inflight.ts';
import { type Departure, sendAway } from '../http/filters/send-away.ts';
import { shareFairly } from '../http/filters/share-fairly.ts';
import { strictTransportSecurity } from '../http/filters/strict-transport-security.ts';
import { timed } from '../http/filters/timed.ts';
import { traceFilter } from '../http/filters/trace.ts';
import { createResponder, type Respond } from '../http/respond.ts';
import { ComponentPages } from '../http/routes/component-pages.ts';
import { debugRoutes } from '../http/routes/debug.ts';
import { createRoutes } from '../http/routes/routes.ts';
import { logRequest } from '../observability/access-log.ts';
import type { AuditParts } from '../observability/audit/create-audit.ts';
import { countedAuthentication } from '../observability/authentication-metrics.ts';
import { cacheMetrics } from '../observability/cache-metrics.ts';
import { databaseSize } from '../observability/database-size.ts';
import type { Health } from '../observability/health.ts';
import { healthMetrics, isOfReliability } from '../observability/health-metrics.ts';
import { listMetrics } from '../observability/list-metrics.ts';
import { MetricsPage } from '../observability/metrics-page.ts';
import { RequestMetrics } from '../observability/request-metrics.ts';
import { sealedValues } from '../observability/sealed-values.ts';
import { SlowRequests } from '../observability/slow-requests.ts';
import { storeTraffic } from '../observability/store-traffic.ts';
import type { WorkerPool } from '../observability/worker-pool.ts';
import { ServedDocuments } from '../openapi/served-documents.ts';
import { fairnessMetrics } from '../priority/fairness-metrics.ts';
import { FlowControl } from '../priority/flow-control.ts';
import { populations } from '../priority/populations.ts';
import type { Registry } from '../resources/registry.ts';
import { subresourceHandlers } from '../subresources/index.ts';
import { resourceHandlers } from '../verbs/resource-handlers.ts';
import type { AggregationStage } from './aggregation.ts';
import type { PolicyStage } from './policy.ts';

/** The parts that answer requests. */
export interface HandlerParts {
  readonly metrics: MetricSet;
  readonly verbosity: Verbosity;
  /** Undefined if tracing is off. */
  readonly tracer: Tracer | undefined;
  readonly policy: PolicyStage;
  readonly store: DataStore;
  readonly health: Health;
  readonly aggregation: AggregationStage;
  readonly auditing: AuditParts;
  readonly workerPool: WorkerPool | undefined;
  /** Filters that see each authorized request, after all others. */
  readonly filters: readonly Filter[];
  readonly log: Logger;
  /** The signal ends streams and background work. */
  readonly leaving: AbortSignal;
}

/** The fourth stage: the handlers of requests, for any listener. */
export interface HandlerStage {
  readonly app: RequestListener;
  /** The message classes of `app`. */
  readonly messages: MessageClasses;
  /** The responder for versions of HTTP other than 1.1. */
  readonly respond: Respond;
  /** Refuses new requests at the end; undefined if connections are refused instead. */
  readonly departure: Departure | undefined;
}

/** Puts filters before verbs, subresources and other paths. Ends with `leaving` and the requests in progress. */
export function createHandlers(options: ServerOptions, parts: HandlerParts): HandlerStage {
  const { naming, serving, http } = options;
  const { metrics, verbosity, tracer, policy, store, health, aggregation, auditing, workerPool, log, leaving } = parts;
  const { registry, authorization, authentication } = policy;
  const share = (limit: number) => Math.ceil(limit / (workerPool?.count ?? 1));
  const [reading, mutating] = [share(http.inflight.reading), share(http.inflight.mutating)];
  // Without a limit there is nothing to share.
  const flowControl =
    options.keepsFlowControl && reading + mutating > 0 ? flowControlOf(registry, reading + mutating) : undefined;
  const inflight =
    flowControl === undefined
      ? limitInflight(reading, mutating)
      : shareFairly({
          control: flowControl,
          observer: fairnessMetrics(metrics, flowControl),
          naming,
          requestTimeoutMs: options.requestTimeoutMs,
          population: populations(registry),
        });
  const requests = new RequestMetrics(metrics, registry, inflight);
  const slow = new SlowRequests(options.http.slowRequestMs, log);
  cacheMetrics(metrics, registry);
  listMetrics(metrics, registry);
  metrics.gauge('aggregator_unavailable_apiservice', (gauge) => {
    // Groups are added and removed.
    gauge.clear();
    for (const { name, available } of aggregation.availabilities()) gauge.set({ name }, available ? 0 : 1);
  });
  sealedValues(metrics, registry);
  storeTraffic(metrics, store);
  databaseSize(metrics, store, options.metrics.databaseSizeIntervalMs, leaving);
  const measuresHealth = options.gates.enabled('ComponentSLIs');
  if (measuresHealth) healthMetrics(metrics, health);
  const routes = createRoutes({
    registry,
    externalAddress: serving.externalAddress,
    health,
    metrics: new MetricsPage(metrics, workerPool),
    openapi: new ServedDocuments(
      registry,
      options.describesFields ? wordsSource(registry.naming) : noWords,
      aggregation.documents,
    ),
    groups: aggregation.groups,
    documents: authentication.issuerDocuments,
    pages: new ComponentPages({ naming, release: options.release, gates: options.gates, flags: options.flags }),
    reliability: measuresHealth ? new MetricsPage(metrics, workerPool, isOfReliability) : undefined,
    debug: http.profiling ? debugRoutes(verbosity) : undefined,
    flowControl,
  });
  const special = new Map([
    ...subresourceHandlers(registry, policy.services, options, metrics),
    ...reviewHandlers(registry, authorization),
    ...tokenHandlers(registry, authentication),
  ]);
  const handlers = resourceHandlers(registry, special);
  const departure = http.retryAfterWhenStopping ? sendAway() : undefined;
  const filters = [
    ...outerFilters(options, departure),
    ...(auditing.audit === undefined ? [] : [auditRefusedFilter(auditing.audit)]),
    checkTimeout,
    ...timed('authentication', authenticateFilter(countedAuthentication(metrics, authenticator(policy, log)))),
    ...(tracer === undefined ? [] : [traceFilter(tracer, naming)]),
    ...(auditing.audit === undefined ? [] : timed('audit', auditFilter(auditing.audit))),
    ...timed('impersonation', impersonateFilter(impersonator(authorization, naming)), mayAskForAnother),
    ...timed('waiting', inflight.filter),
    ...timed('authorization', authorizeFilter(authorization.authorize)),
    aggregation.filter,
    ...parts.filters,
  ];
  const respond = createResponder({
    registry,
    handler: chain(filters, dispatcher(registry, handlers, routes)),
    log,
    leaving,
    requestTimeoutMs: options.requestTimeoutMs,
    finished(finished) {
      requests.finished(finished);
      slow.finished(finished);
      if (verbosity.logsRequests) logRequest(log, finished);
    },
    streamOpened: (context) => requests.streamOpened(context),
    watchOpened: (context, served, initial) => requests.watchOpened(context, served, initial),
  });
  const app = createApp(respond);
  return { app: listenerOf(app), messages: messagesOf(app), respond, departure };
}

function flowControlOf(registry: Registry, total: number): FlowControl {
  const of = (plural: string) => registry.stored('flowcontrol.apiserver', plural).cache;
  return new FlowControl(total, {
    schemas: of('flowschemas'),
    levels: of('prioritylevelconfigurations'),
    parsed: (item) => registry.cache.parsed(item),
  });
}

/** The outermost filters, which flags turn on. */
function outerFilters({ http }: ServerOptions, departure: Departure | undefined): Filter[] {
  const { allowedOrigins, transportPolicy } = http;
  return [
    ...(transportPolicy === undefined ? [] : [strictTransportSecurity(transportPolicy)]),
    ...(departure === undefined ? [] : [departure.filter]),
    ...(allowedOrigins.length === 0 ? [] : [allowOrigins(allowedOrigins)]),
  ];
}

function authenticator({ authentication }: PolicyStage, log: Logger): Authenticate {
  return (context) =>
    authentication.user(new CredentialsOf(context), (reasons) =>
      log.debug({ requestId: context.id, reasons }, 'the credentials of a request are not valid'),
    );
}

/** The attributes of a request that identify its user. */
class CredentialsOf implements AuthenticationRequest {
  readonly #context: RequestContext;
  readonly peerCertificates: readonly Buffer[];

  constructor(context: RequestContext) {
    this.#context = context;
    this.peerCertificates = context.peerCertificates();
  }

  /** The headers. Headers name only few users, and Node.js makes this object at its first use. */
  get headers(): RequestHeaders {
    return this.#context.raw().request.headersDistinct;
  }

  get path(): string {
    return this.#context.info.path;
  }

  warn(text: string): void {
    this.#context.warnings.add(text);
  }

  annotate(key: string, value: string): void {
    this.#context.annotations.set(key, value);
  }
}
