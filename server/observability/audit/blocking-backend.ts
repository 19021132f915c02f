import type { AuditEntry } from './audit-event.ts';
import type { AuditBackend, AuditSink, OnLoss } from './backend.ts';

/**
 * Sends each event at once, and makes its request wait. If it is `strict`, a request that cannot be recorded is not
 * served.
 */
export class BlockingBackend implements AuditBackend {
  readonly #plugin: string;
  readonly #sink: AuditSink;
  readonly #strict: boolean;
  readonly #onLoss: OnLoss;
  readonly #underWay = new Set<Promise<boolean>>();

  constructor(plugin: string, sink: AuditSink, strict: boolean, onLoss: OnLoss) {
    this.#plugin = plugin;
    this.#sink = sink;
    this.#strict = strict;
    this.#onLoss = onLoss;
  }

  process(entry: AuditEntry): Promise<boolean> {
    const sent = this.#sink.send([entry]).then(
      () => true,
      (error: unknown) => {
        this.#onLoss(this.#plugin, 1, error);
        return !this.#strict;
      },
    );
    this.#underWay.add(sent);
    return sent.finally(() => this.#underWay.delete(sent));
  }

  async stop(): Promise<void> {
    const stopped = this.#sink.stop();
    await Promise.all(this.#underWay);
    await stopped;
  }
}
