import type { HistogramSeries } from '#program/metrics/family.ts';
import type { MetricSet } from '#program/metrics/metric-set.ts';
import { currentStages } from '#program/tracing/request-stages.ts';
import type { TracedCall } from '#program/tracing/trace-span.ts';
import { tracedRange, tracedTxn } from '#program/tracing/traced-calls.ts';
import { storageId, storageIdOfKey } from '#schema/descriptors/storage-id.ts';
import type { Schema } from '#schema/descriptors/types.ts';
import type { DataStore } from '#storage/data-store.ts';
import { decoratedStore } from '#storage/decorated-store.ts';
import type { Condition, Write } from '#storage/object-store.ts';
import { DEFINED, typeName } from '../observability/type-name.ts';

/** The name of the kind of a stored object, from its key, in the form of this field's metrics: `*core.Namespace`. */
function typesByKey(schema: Pick<Schema, 'groupVersions'>, prefix: string): (key: string) => string {
  const types = new Map<string, string>();
  for (const { resources } of schema.groupVersions) {
    for (const { storage, kind } of resources) {
      if (storage === undefined) continue;
      types.set(storageId(storage.group, storage.plural), typeName(storage.group, kind));
    }
  }
  const start = `${prefix}/`;
  return (key) => {
    if (!key.startsWith(start)) return '';
    const id = storageIdOfKey(key, start.length, false);
    return id === undefined ? '' : (types.get(id) ?? DEFINED);
  };
}

/** The operation of a transaction. Its first write is the main one and gives the name. */
function operationOf(conditions: readonly Condition[], [first]: readonly Write[]): string {
  if (first === undefined) return 'get';
  if (first.value === undefined) return 'delete';
  return conditions.some(({ key, revision }) => key === first.key && revision === 0) ? 'create' : 'update';
}

const READS = new Set(['get', 'list', 'count', 'currentRevision']);

/** The metrics and the trace of the calls of one operation for one type. */
interface ObservedCall {
  /** The name of the step. */
  readonly name: string;
  readonly durations: HistogramSeries;
  readonly call: TracedCall;
}

/** A store whose calls are measured, and are traced as steps of the requests that wait for them. */
export function observedStore(
  store: DataStore,
  metrics: MetricSet,
  schema: Pick<Schema, 'groupVersions'>,
  prefix: string,
): DataStore {
  const durations = metrics.histogram('etcd_request_duration_seconds');
  const typeOf = typesByKey(schema, prefix);
  const byOperation = new Map<string, Map<string, ObservedCall>>();
  const observedCall = (operation: string, type: string): ObservedCall => {
    let byType = byOperation.get(operation);
    if (byType === undefined) byOperation.set(operation, (byType = new Map()));
    let observation = byType.get(type);
    if (observation !== undefined) return observation;
    const name = type === '' ? operation : `${operation} ${type}`;
    observation = {
      name,
      durations: durations.of({ operation, type }),
      call: READS.has(operation) ? tracedRange : tracedTxn,
    };
    byType.set(type, observation);
    return observation;
  };
  const observed = async <T>(operation: string, key: string, call: () => Promise<T>): Promise<T> => {
    const observation = observedCall(operation, typeOf(key));
    const started = performance.now();
    const step = currentStages()?.begin('etcd', observation.name, started, observation.call);
    try {
      return await call();
    } finally {
      const now = performance.now();
      step?.end(now);
      observation.durations.observe((now - started) / 1000);
    }
  };
  // Members that are not about keys, such as `full`, are those of the store itself.
  return decoratedStore(store, {
    get: (key, at) => observed('get', key, () => store.get(key, at)),
    list: (keys, page) => observed('list', keys, () => store.list(keys, page)),
    count: (keys) => observed('count', keys, () => store.count(keys)),
    create: (key, ...rest) => observed('create', key, () => store.create(key, ...rest)),
    update: (key, ...rest) => observed('update', key, () => store.update(key, ...rest)),
    remove: (key, expected) => observed('delete', key, () => store.remove(key, expected)),
    transact: (conditions, writes) =>
      observed(operationOf(conditions, writes), writes[0]?.key ?? '', () => store.transact(conditions, writes)),
    currentRevision: () => observed('currentRevision', '', () => store.currentRevision()),
  });
}
