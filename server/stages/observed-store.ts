import type { EtcdStore } from '../../storage-etcd/etcd-store.ts';
import type { Condition, Write } from '../../storage-etcd/object-store.ts';
import type { HistogramSeries } from '../metrics/family.ts';
import type { MetricSet } from '../metrics/metric-set.ts';
import { DEFINED, typeName } from '../observability/type-name.ts';
import type { Schema } from '../schema/types.ts';
import { currentStages } from '../tracing/request-stages.ts';

/** Names the kinds of stored objects by their keys, as the metrics of this field do: `*core.Namespace`. */
function typesByKey(schema: Pick<Schema, 'groupVersions'>, prefix: string): (key: string) => string {
  const types = new Map<string, string>();
  for (const { resources } of schema.groupVersions) {
    for (const { storage, kind } of resources) {
      if (storage === undefined) continue;
      types.set(`${storage.group || 'core'}/${storage.plural}`, typeName(storage.group, kind));
    }
  }
  return (key) => {
    if (!key.startsWith(`${prefix}/`)) return '';
    const [group, plural = ''] = key.slice(prefix.length + 1).split('/', 2);
    return plural === '' ? '' : (types.get(`${group}/${plural}`) ?? DEFINED);
  };
}

/** What a transaction does to the first thing that it writes, which is what it is about. */
function operationOf(conditions: readonly Condition[], [first]: readonly Write[]): string {
  if (first === undefined) return 'get';
  if (first.value === undefined) return 'delete';
  return conditions.some(({ key, revision }) => key === first.key && revision === 0) ? 'create' : 'update';
}

/** A store whose calls are counted by their time, and are steps of the requests that wait for them. */
export function observedStore(
  store: EtcdStore,
  metrics: MetricSet,
  schema: Pick<Schema, 'groupVersions'>,
  prefix: string,
): EtcdStore {
  const durations = metrics.histogram('etcd_request_duration_seconds');
  const typeOf = typesByKey(schema, prefix);
  const byName = new Map<string, HistogramSeries>();
  const seriesOf = (operation: string, type: string, name: string): HistogramSeries => {
    let series = byName.get(name);
    if (series === undefined) byName.set(name, (series = durations.of({ operation, type })));
    return series;
  };
  const observed = async <T>(operation: string, key: string, call: () => Promise<T>): Promise<T> => {
    const type = key === '' ? '' : typeOf(key);
    const name = type === '' ? operation : `${operation} ${type}`;
    const started = performance.now();
    const step = currentStages()?.begin('etcd', name);
    try {
      return await call();
    } finally {
      step?.end();
      seriesOf(operation, type, name).observe((performance.now() - started) / 1000);
    }
  };
  const calls: Partial<EtcdStore> = {
    get: (key, at) => observed('get', key, () => store.get(key, at)),
    list: (keys, page) => observed('list', keys, () => store.list(keys, page)),
    count: (keys) => observed('count', keys, () => store.count(keys)),
    create: (key, ...rest) => observed('create', key, () => store.create(key, ...rest)),
    update: (key, ...rest) => observed('update', key, () => store.update(key, ...rest)),
    remove: (key, expected) => observed('delete', key, () => store.remove(key, expected)),
    transact: (conditions, writes) =>
      observed(operationOf(conditions, writes), writes[0]?.key ?? '', () => store.transact(conditions, writes)),
    currentRevision: () => observed('currentRevision', '', () => store.currentRevision()),
  };
  // what is not about keys, `full` among it, is the store's own
  return Object.assign(Object.create(store) as EtcdStore, calls);
}
