import { setImmediate as pause } from 'node:timers/promises';
import { MetricSet } from '#program/metrics/metric-set.ts';
import { nowOnBehalfOf, RequestStages, type Stage } from '#program/tracing/request-stages.ts';
import { AdmissionMetrics } from '#server/admission/admission-metrics.ts';
import { PluginChain } from '#server/admission/chain.ts';
import type { AdmissionRequest } from '#server/api/admission.ts';
import type { Filter } from '#server/api/filter.ts';
import type { RequestContext } from '#server/api/request-context.ts';
import { requestInfo } from '#server/api/request-info.ts';
import { timed } from '#server/http/filters/timed.ts';
import { countedAuthentication } from '#server/observability/authentication-metrics.ts';
import { RequestMetrics } from '#server/observability/request-metrics.ts';
import { SlowRequests } from '#server/observability/slow-requests.ts';
import { fairnessMetrics } from '#server/priority/fairness-metrics.ts';
import type { Classified, FlowControl, Level } from '#server/priority/flow-control.ts';
import type { Work } from '#server/priority/work.ts';
import type { Registry } from '#server/resources/registry.ts';
import { observedStore } from '#server/stages/observed-store.ts';

/**
 * Measures the cost of each part of observability for one request, in nanoseconds: `node bench/observed-parts.ts`, half
 * a minute. It calls the real objects as a GET and a create call them, without the server around them, because the
 * noise of whole requests on a busy machine is larger than this cost. `COUNT` is the number of calls of each part in a
 * round.
 */

const COUNT = Number(process.env['COUNT'] ?? 200_000);
const ROUNDS = Number(process.env['ROUNDS'] ?? 15);

const metrics = new MetricSet();
const user = { name: 'bench', uid: '', groups: ['system:authenticated'], extra: {} };
const query = new URLSearchParams();
const certificate: readonly Buffer[] = [];

const served = { type: { kind: 'ConfigMap', plural: 'configmaps', group: '', subresources: [] } };

function contextOf(method: string, path: string): { readonly fresh: () => RequestContext } {
  const info = requestInfo(method, path, query);
  return {
    fresh: () =>
      ({
        info,
        query,
        served,
        stages: new RequestStages(),
        user,
        header: () => undefined,
        peerCertificates: () => certificate,
      }) as unknown as RequestContext,
  };
}

const get = contextOf('GET', '/api/v1/namespaces/default/configmaps/asked');
const create = contextOf('POST', '/api/v1/namespaces/default/configmaps');

const registry = { find: () => served } as unknown as Pick<Registry, 'find'>;
const requests = new RequestMetrics(metrics, registry, {
  reading: 0,
  mutating: 0,
  waiting: { reading: 0, mutating: 0 },
});
const slow = new SlowRequests(1000, { warn() {} });
const authenticated = countedAuthentication(metrics, () => user);

const limits = { seats: 20, queues: 64, handSize: 6, queueLength: 50 };
const shared = { name: 'workload-low', uid: '', queues: { limits }, quiescing: false } as unknown as Level;
const exempt: Level = { name: 'exempt', uid: '', queues: undefined, quiescing: false };
const observer = fairnessMetrics(metrics, { levels: [shared, exempt], total: 600 } as unknown as FlowControl);
const work: Work = { seats: 1, finalSeats: 0, finalMs: 0 };
const classified = (level: Level, name: string) =>
  ({ schema: { name }, level, distinguisher: '' }) as unknown as Classified;
/** Starts a turn at `at`; the returned function ends it. */
const turn = (of: Classified, at: number) => {
  observer.waited(of, 0, false, true);
  observer.began(of, work, at);
  observer.side('executing', 'reading', 1, at);
  return (end: number) => {
    observer.side('executing', 'reading', -1, end);
    observer.ended(of, work, at, end);
  };
};
const turnsOf = (level: Level, name: string) => {
  const of = classified(level, name);
  return () => turn(of, performance.now())(performance.now());
};

const STAGES = ['authentication', 'impersonation', 'waiting', 'authorization'] as const;
const pass: Filter = (context, next) => next(context);
const chainOf = (filters: readonly Filter[]) =>
  filters.reduceRight<(context: RequestContext) => never>(
    (next, filter) => (context) => filter(context, next) as never,
    () => undefined as never,
  );
const staged = chainOf(
  STAGES.flatMap((stage) => [...timed(stage, pass, stage === 'impersonation' ? () => false : undefined)]),
);
const bare = chainOf(STAGES.flatMap(() => [pass, pass]));

const plugins = Array.from({ length: 12 }, (_, n) => ({
  name: `Plugin${n}`,
  handles: () => true,
  ...(n % 2 === 0 ? { mutate() {} } : { validate() {} }),
}));
const admission = new PluginChain(plugins as never, new AdmissionMetrics(metrics));
const admitted = { served, operation: 'CREATE', subresource: '' } as unknown as AdmissionRequest;

const store = { transact: () => Promise.resolve(undefined), full: false };
const schema = { groupVersions: [] };
const observed = observedStore(store as never, metrics, schema, '/registry');
const KEY = '/registry/core/configmaps/default/made';

function passing(stages: RequestStages, ...all: Stage[]): void {
  for (const stage of all) {
    stages.enter(stage);
    stages.leave(stage);
  }
}

/** All steps of a GET, in their order. */
function wholeOf(level: Level, name: string): () => void {
  const of = classified(level, name);
  let end: (at: number) => void = () => {};
  const filters: readonly Filter[] = [
    ...timed('authentication', (context, next) => {
      authenticated(context);
      return next(context);
    }),
    ...timed('impersonation', pass, () => false),
    ...timed('waiting', (context, next) => {
      const { last: began } = context.stages;
      context.stages.leave('waiting', began);
      end = turn(of, began);
      return next(context);
    }),
    ...timed('authorization', pass),
  ];
  const handle = chainOf(filters);
  return () => {
    const context = get.fresh();
    const { stages } = context;
    nowOnBehalfOf(stages);
    handle(context);
    const began = performance.now();
    stages.enter('writing', began);
    stages.enter('encoding', began);
    stages.leave('encoding');
    const now = performance.now();
    stages.finish(now);
    const finished = { context, status: 200, milliseconds: now - stages.started, bytes: 900 };
    requests.finished(finished);
    slow.finished(finished);
    end(now);
  };
}

const context = get.fresh();
const finishing = (of: { readonly fresh: () => RequestContext }, status: number) => {
  const known = of.fresh();
  return () => requests.finished({ context: known, status, milliseconds: 0.2, bytes: 900 });
};

const ended = new RequestStages();
const PARTS: readonly (readonly [what: string, part: () => unknown, less?: () => unknown])[] = [
  ['the clock', () => performance.now()],
  ['stages of a new request', () => new RequestStages()],
  ['filters as stages', () => staged(context), () => bare(context)],
  ['on behalf of', () => nowOnBehalfOf(context.stages)],
  ['writing and encoding', () => passing(context.stages, 'writing', 'encoding')],
  ['the end of stages', () => ended.finish()],
  ['authentication', () => authenticated(context)],
  ['turns, exempt', turnsOf(exempt, 'exempt')],
  ['turns, of a level with seats', turnsOf(shared, 'global-default')],
  ['metrics of a GET', finishing(get, 200)],
  ['metrics of a create', finishing(create, 201)],
  ['all of a GET, exempt', wholeOf(exempt, 'exempt')],
  ['all of a GET, of a level with seats', wholeOf(shared, 'global-default')],
  ['slow requests', () => slow.finished({ context, status: 200, milliseconds: 0.2, bytes: 900 })],
];
const written = [[{ key: KEY, revision: 0 }], [{ key: KEY, value: Buffer.alloc(0) }]] as const;
const ASYNC: readonly (readonly [what: string, part: () => Promise<unknown>, less?: () => Promise<unknown>])[] = [
  [
    'admission of 12 plug-ins',
    async () => {
      await admission.mutate(admitted);
      await admission.validate(admitted);
    },
  ],
  ['a call of the store', () => observed.transact(...written), () => store.transact()],
];
// The steps run on behalf of this request.
nowOnBehalfOf(context.stages);

/** Processor time of this thread alone. */
function threadNs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) * 1000;
}

function cost(part: () => unknown): number {
  const began = threadNs();
  for (let n = 0; n < COUNT; n++) part();
  return (threadNs() - began) / COUNT;
}

async function costLater(part: () => Promise<unknown>): Promise<number> {
  const count = COUNT / 10;
  const began = threadNs();
  for (let n = 0; n < count; n++) await part();
  return (threadNs() - began) / count;
}

const least = new Map<string, number[]>();
const note = (what: string, ns: number) => least.set(what, [...(least.get(what) ?? []), ns]);
for (let round = 0; round < ROUNDS; round++) {
  for (const [what, part, without] of PARTS) note(what, cost(part) - (without === undefined ? 0 : cost(without)));
  for (const [what, part, without] of ASYNC)
    note(what, (await costLater(part)) - (without === undefined ? 0 : await costLater(without)));
  await pause();
}
for (const [what, all] of least) {
  all.sort((a, b) => a - b);
  console.log(
    `${what.padEnd(32)} ${all[0]!.toFixed(0).padStart(6)} ns at the least, ${all[all.length >> 1]!.toFixed(0)} in the middle`,
  );
}
