import type { TruncationLimits } from '../../config/audit-options.ts';
import { AuditEntry } from './audit-event.ts';
import type { AuditSink, OnLoss } from './backend.ts';

const PLUGIN = 'truncate';

/**
 * Limits the sizes of events and batches. An event that is too large loses its bodies and gets the annotation `mark`
 * (`true`). If it is still too large, it is dropped. A batch that is too large is sent as several batches.
 */
export class TruncatingSink implements AuditSink {
  readonly #sink: AuditSink;
  readonly #limits: TruncationLimits;
  readonly #mark: string;
  readonly #onLoss: OnLoss;

  constructor(sink: AuditSink, limits: TruncationLimits, mark: string, onLoss: OnLoss) {
    this.#sink = sink;
    this.#limits = limits;
    this.#mark = mark;
    this.#onLoss = onLoss;
  }

  async send(entries: readonly AuditEntry[]): Promise<void> {
    for (const batch of this.#batches(entries)) await this.#sink.send(batch);
  }

  stop(): Promise<void> {
    return this.#sink.stop();
  }

  #batches(entries: readonly AuditEntry[]): AuditEntry[][] {
    const batches: AuditEntry[][] = [];
    let size = Number.POSITIVE_INFINITY;
    for (const entry of entries) {
      const fitting = this.#fitting(entry);
      if (fitting === undefined) {
        this.#onLoss(PLUGIN, 1, new Error('an event is too large even without its bodies'));
        continue;
      }
      size += fitting.size;
      if (size > this.#limits.maxBatchSize) {
        batches.push([]);
        size = fitting.size;
      }
      batches.at(-1)!.push(fitting);
    }
    return batches;
  }

  #fitting(entry: AuditEntry): AuditEntry | undefined {
    const { maxEventSize } = this.#limits;
    if (entry.size <= maxEventSize) return entry;
    const { event } = entry;
    if (event.level !== 'Request' && event.level !== 'RequestResponse') return undefined;
    const { requestObject: _request, responseObject: _response, ...head } = event;
    const shorter = new AuditEntry({ ...head, annotations: { ...event.annotations, [this.#mark]: 'true' } });
    return shorter.size <= maxEventSize ? shorter : undefined;
  }
}
