import type { FamilyValues } from '#program/metrics/family-definition.ts';
import type { MetricSet } from '#program/metrics/metric-set.ts';
import { PROTOBUF_TYPE, writeProtobuf } from '#program/metrics/write-protobuf.ts';
import { TEXT_TYPE, writeText } from '#program/metrics/write-text.ts';
import type { Answer } from '../api/answer.ts';
import { parseAccept } from '../api/negotiation.ts';
import { isOfReliability } from './health-metrics.ts';
import type { WorkerPool } from './worker-pool.ts';

/** Whether a collector prefers the format of messages to text. */
function wantsProtobuf(accept: string | undefined): boolean {
  const [first] = parseAccept(accept || '*/*');
  if (first === undefined || `${first.type}/${first.subtype}` !== 'application/vnd.google.protobuf') return false;
  return first.params.get('encoding') === 'delimited';
}

/** Answers `/metrics` with the metrics of a replica, in the form that the collector asks for. */
export class MetricsPage {
  readonly #metrics: MetricSet;
  readonly #workerPool: WorkerPool | undefined;

  readonly #shows: (name: string) => boolean;

  /** @param shows whether a family is on the page, by its name; by default all families that are not on another page */
  constructor(
    metrics: MetricSet,
    workerPool?: WorkerPool,
    shows: (name: string) => boolean = (name) => !isOfReliability(name),
  ) {
    this.#metrics = metrics;
    this.#workerPool = workerPool;
    this.#shows = shows;
  }

  /** The metrics of all workers of this replica together. */
  async answer(accept: string | undefined): Promise<Answer> {
    const values = this.#chosen(await this.#values());
    return wantsProtobuf(accept)
      ? { kind: 'bytes', status: 200, contentType: PROTOBUF_TYPE, body: writeProtobuf(values), compress: true }
      : { kind: 'bytes', status: 200, contentType: TEXT_TYPE, body: writeText(values), compress: true };
  }

  *#chosen(values: Iterable<FamilyValues>): Iterable<FamilyValues> {
    for (const one of values) if (this.#shows(one.family.name)) yield one;
  }

  async #values(): Promise<Iterable<FamilyValues>> {
    if (this.#workerPool !== undefined) return this.#workerPool.metrics();
    await this.#metrics.collect();
    return this.#metrics.inTurn();
  }
}
