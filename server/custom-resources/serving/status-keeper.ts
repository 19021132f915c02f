import { timerMs } from '#base/time/longest-timer.ts';
import type { DefinitionWrites } from './definition-writes.ts';
import type { KnownDefinition, KnownGroup, ServedDefinitions, ServingLog } from './served-definitions.ts';

/** How long after a failure the write is tried again, in milliseconds. */
const AGAIN_MS = 1000;

/**
 * Writes the status of definitions. Every replica tries, and the first one writes it for all. The status depends only
 * on the definitions.
 */
export class StatusKeeper {
  readonly #definitions: ServedDefinitions;
  readonly #writes: DefinitionWrites;
  readonly #log: ServingLog;
  /** The revisions of definitions whose status is being written. */
  readonly #underWay = new Set<string>();
  /** Groups in which no status needs a write. */
  readonly #written = new WeakSet<KnownGroup>();
  readonly #leaving: AbortSignal;
  #scheduled = false;

  constructor(definitions: ServedDefinitions, writes: DefinitionWrites, log: ServingLog, leaving: AbortSignal) {
    this.#definitions = definitions;
    this.#writes = writes;
    this.#log = log;
    this.#leaving = leaving;
    definitions.onChange(() => this.#schedule(0));
    this.#schedule(0);
  }

  #schedule(afterMs: number): void {
    if (this.#scheduled || this.#leaving.aborted) return;
    this.#scheduled = true;
    setTimeout(() => {
      this.#scheduled = false;
      if (!this.#leaving.aborted) this.#look();
    }, timerMs(afterMs)).unref();
  }

  #look(): void {
    for (const group of this.#definitions.known()) {
      if (this.#written.has(group)) continue;
      const unwritten = group.known.filter(({ live, status }) => status !== live.outline.status);
      for (const known of unwritten) void this.#write(known);
      if (unwritten.length === 0) this.#written.add(group);
    }
  }

  async #write({ live, status }: KnownDefinition): Promise<void> {
    const { item } = live;
    const id = `${item.key} ${item.revision}`;
    if (this.#underWay.has(id)) return;
    this.#underWay.add(id);
    try {
      await this.#writes.update(item, 'status', (definition) => {
        definition.status = status;
      });
    } catch (error) {
      this.#log.warn({ err: error, definition: item.name }, 'the status of a definition cannot be written yet');
      this.#schedule(AGAIN_MS);
    } finally {
      this.#underWay.delete(id);
    }
  }
}
