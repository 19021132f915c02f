import type { Counter, CountSeries, Gauge, Histogram, HistogramSeries } from '#program/metrics/family.ts';
import type { MetricSet } from '#program/metrics/metric-set.ts';
import { stages as allStages, type RequestStages, type Stage } from '#program/tracing/request-stages.ts';
import { mayUpgrade } from '../api/connected.ts';
import { isHealthPath } from '../api/probe.ts';
import type { RequestContext, RequestInfo } from '../api/request-context.ts';
import type { ServedResource } from '../api/served-resource.ts';
import type { Registry } from '../resources/registry.ts';
import { shownDryRun, shownPath, shownScope, shownVerb } from './request-labels.ts';
import { typeOfStored } from './type-name.ts';

/** The end of a request, for metrics and the access log. */
export interface Finished {
  readonly context: RequestContext;
  readonly status: number;
  readonly milliseconds: number;
  readonly bytes: number;
}

/** How many requests are in progress. */
export interface InflightCounts {
  readonly reading: number;
  readonly mutating: number;
  /** How many requests wait. */
  readonly waiting: { readonly reading: number; readonly mutating: number };
}

/** The metrics of an open watch. */
export interface OpenWatch {
  /** Records a sent event of this many bytes. */
  sent(bytes: number): void;
  ended(): void;
}

/** The labels of paths without a known resource. */
const NOWHERE = { group: '', version: '', resource: '' };

/** Parts of processing that every request passes. */
const FILTERS: readonly (readonly [Stage, string])[] = [
  ['authentication', 'authentication'],
  ['audit', 'audit'],
  ['impersonation', 'impersonation'],
  ['waiting', 'priorityandfairness'],
  ['authorization', 'authorization'],
];

const VALIDATED = new Set(['create', 'update', 'patch']);
const FIELD_VALIDATIONS = ['', 'Ignore', 'Warn', 'Strict'];

/**
 * The verbs for which the size of the answer is measured. An answer to a write is as large as the written object, and
 * answers of other servers do not count.
 */
const WEIGHED = new Set(['GET', 'LIST']);

/** Whether the answer comes from the health checks, and not from a filter that refused the request earlier. */
function isAnswerOfHealth({ info, resources }: RequestContext): boolean {
  return isHealthPath(info) && resources !== undefined;
}

type Subject = 'component' | 'group' | 'resource' | 'scope' | 'subresource' | 'verb' | 'version';

/** The counters for requests of one kind. */
interface Counted {
  readonly labels: Readonly<Record<Subject, string>>;
  readonly dryRun: string;
  readonly durations: HistogramSeries;
  readonly sizes: HistogramSeries | undefined;
  /**
   * The durations without the time of webhooks and of waiting for earlier requests. Undefined for watches, because
   * their clients decide when they end.
   */
  readonly own: HistogramSeries | undefined;
  /** A function that is called for each request whose duration the client chooses. */
  streams?: { readonly opened: () => void; readonly ended: () => void };
  /** The keys are status codes. */
  readonly totals: Map<number, CountSeries>;
}

/**
 * Counts requests of clients in metrics that operators of this field know. It counts requests to a served resource,
 * health checks, and requests that this server ended to protect itself. A request that was refused earlier does not
 * count, because objectives for latency are about requests to the API.
 */
export class RequestMetrics {
  readonly #served: Pick<Registry, 'find'>;
  readonly #requests: Counter<Subject | 'code' | 'dry_run'>;
  readonly #durations: Histogram<Subject | 'dry_run'>;
  readonly #sizes: Histogram<Subject>;
  readonly #own: Histogram<Subject>;
  /** The series of the filters, each with the index of its stage. */
  readonly #filters: readonly (readonly [place: number, series: HistogramSeries])[];
  readonly #longRunning: Gauge<Subject>;
  readonly #terminations: Counter<Subject | 'code'>;
  readonly #deprecated: Gauge<'group' | 'removed_release' | 'resource' | 'subresource' | 'version'>;
  /** Counters by audience. The empty text is for all other audiences. Each is in the output after its first count. */
  readonly #validations: ReadonlyMap<string, () => HistogramSeries>;
  readonly #initial: Counter<'resource'>;
  readonly #events: Counter<'group' | 'kind' | 'version'>;
  readonly #eventSizes: Histogram<'group' | 'kind' | 'version'>;
  readonly #sent = new WeakMap<ServedResource, OpenWatch['sent']>();
  /** Counters by resource. There are as many as series. */
  readonly #kinds = new WeakMap<object, Counted[]>();

  constructor(metrics: MetricSet, registry: Pick<Registry, 'find'>, inflight: InflightCounts) {
    this.#served = registry;
    this.#requests = metrics.counter('apiserver_request_total');
    this.#durations = metrics.histogram('apiserver_request_duration_seconds');
    this.#sizes = metrics.histogram('apiserver_response_sizes');
    this.#own = metrics.histogram('apiserver_request_slo_duration_seconds');
    const filters = metrics.histogram('apiserver_request_filter_duration_seconds');
    this.#filters = FILTERS.map(([stage, filter]) => [allStages.indexOf(stage), filters.of({ filter })]);
    this.#longRunning = metrics.gauge('apiserver_longrunning_requests');
    this.#terminations = metrics.counter('apiserver_request_terminations_total');
    this.#deprecated = metrics.gauge('apiserver_requested_deprecated_apis');
    const validations = metrics.histogram('field_validation_request_duration_seconds');
    this.#validations = new Map(
      FIELD_VALIDATIONS.map((asked) => {
        let series: HistogramSeries | undefined;
        return [asked, () => (series ??= validations.of({ enabled: 'true', field_validation: asked }))];
      }),
    );
    this.#initial = metrics.counter('apiserver_init_events_total');
    this.#events = metrics.counter('apiserver_watch_events_total');
    this.#eventSizes = metrics.histogram('apiserver_watch_events_sizes');
    metrics.gauge('apiserver_current_inflight_requests', (gauge) => {
      gauge.set({ request_kind: 'readOnly' }, inflight.reading);
      gauge.set({ request_kind: 'mutating' }, inflight.mutating);
    });
    metrics.gauge('apiserver_current_inqueue_requests', (gauge) => {
      gauge.set({ request_kind: 'readOnly' }, inflight.waiting.reading);
      gauge.set({ request_kind: 'mutating' }, inflight.waiting.mutating);
    });
  }

  /** Called when a request begins whose duration the client chooses. @returns the function to call at its end */
  streamOpened(context: RequestContext): () => void {
    const counted = this.#counted(context, this.#find(context.info), '');
    if (counted.streams === undefined) {
      const gauge = this.#longRunning.of(counted.labels);
      counted.streams = { opened: () => gauge.inc(), ended: () => gauge.dec() };
    }
    counted.streams.opened();
    return counted.streams.ended;
  }

  /** A watch was opened. */
  watchOpened(context: RequestContext, served: ServedResource, initial: number): OpenWatch {
    if (initial > 0) this.#initial.inc({ resource: typeOfStored(served.stored) }, initial);
    return { sent: this.#sentOf(served, context.info), ended: this.streamOpened(context) };
  }

  /** The counter of events of a resource. All its watches share it. */
  #sentOf(served: ServedResource, { group, version }: RequestInfo): OpenWatch['sent'] {
    let sent = this.#sent.get(served);
    if (sent === undefined) {
      const of = { group, version, kind: served.type.kind };
      let series: readonly [CountSeries, HistogramSeries] | undefined;
      sent = (bytes) => {
        series ??= [this.#events.of(of), this.#eventSizes.of(of)];
        series[0].inc();
        series[1].observe(bytes);
      };
      this.#sent.set(served, sent);
    }
    return sent;
  }

  finished(finished: Finished): void {
    const { context, status, milliseconds, bytes } = finished;
    const { info, served, stages } = context;
    // A 429 after authorization is the answer of the resource itself, such as that of an eviction.
    const isTerminated = status === 504 || (status === 429 && !stages.entered('authorization'));
    if (served === undefined && !isTerminated && !isAnswerOfHealth(context)) {
      this.#passed(stages);
      return;
    }
    const dryRun = shownDryRun(context.query);
    const counted = this.#counted(context, served ?? this.#find(info), dryRun);
    const { labels } = counted;
    let total = counted.totals.get(status);
    if (total === undefined) {
      total = this.#requests.of({ ...labels, code: String(status), dry_run: dryRun });
      counted.totals.set(status, total);
    }
    total.inc();
    if (isTerminated) this.#terminations.inc({ ...labels, code: String(status) });
    const seconds = milliseconds / 1000;
    counted.durations.observe(seconds);
    if (labels.verb === 'WATCH') return;
    counted.sizes?.observe(bytes);
    counted.own?.observe(Math.max(0, seconds - (stages.of('webhook') + stages.of('waiting')) / 1000));
    this.#passed(stages);
    if (VALIDATED.has(info.verb) && labels.resource !== '') this.#validated(context, seconds);
  }

  #passed(stages: RequestStages): void {
    for (const [place, series] of this.#filters) series.observe(stages.at(place) / 1000);
  }

  #validated({ query }: RequestContext, seconds: number): void {
    (this.#validations.get(query.get('fieldValidation') ?? '') ?? this.#validations.get('')!)().observe(seconds);
  }

  /** The resource of a path, if it is served and has the subresource. */
  #find({ isResource, group, version, resource, subresource }: RequestInfo): ServedResource | undefined {
    if (!isResource) return undefined;
    const served = this.#served.find(group, version, resource);
    if (served === undefined || subresource === '') return served;
    return served.type.subresources.some(({ name }) => name === subresource) ? served : undefined;
  }

  #kindsOf(of: object): Counted[] {
    let kinds = this.#kinds.get(of);
    if (kinds === undefined) this.#kinds.set(of, (kinds = []));
    return kinds;
  }

  /**
   * The labels. Values come from a path only if the path names something known. Otherwise clients could enlarge the
   * metrics.
   */
  #counted(context: RequestContext, served: ServedResource | undefined, dryRun: string): Counted {
    const { info } = context;
    const verb = shownVerb(info, info.method === 'PATCH' ? context.header('content-type') : undefined);
    const { group, version, resource } = served === undefined ? NOWHERE : info;
    const { component, subresource } =
      served === undefined ? shownPath(info) : { component: 'apiserver', subresource: info.subresource };
    const of = served === undefined ? '' : shownScope(info);
    const kinds = this.#kindsOf(served ?? NOWHERE);
    // There are only a few, and they are compared one by one, because a key for a look-up would cost more.
    for (const known of kinds) {
      const { labels } = known;
      const isSame = labels.verb === verb && labels.scope === of && labels.subresource === subresource;
      if (isSame && known.dryRun === dryRun) return known;
    }
    const labels = { component, group, resource, scope: of, subresource, verb, version };
    const counted: Counted = {
      labels,
      dryRun,
      durations: this.#durations.of({ ...labels, dry_run: dryRun }),
      sizes: WEIGHED.has(verb) && !mayUpgrade(info) ? this.#sizes.of(labels) : undefined,
      own: verb === 'WATCH' ? undefined : this.#own.of(labels),
      totals: new Map(),
    };
    kinds.push(counted);
    const { deprecation, removedRelease = '' } = served?.type ?? {};
    if (deprecation !== undefined)
      this.#deprecated.set({ group, version, resource, subresource, removed_release: removedRelease }, 1);
    return counted;
  }
}
