import { trimHistories } from './history.ts';
import type { ResourceEntries } from './resource-entries.ts';

export interface HistoryLimitsOptions {
  readonly entries: ResourceEntries;
  /** The largest memory of all histories together, in bytes. */
  readonly bytes: number;
  /** How long changes are remembered. */
  readonly seconds: number;
}

/** Keeps the histories of all resources within their limits. */
export class HistoryLimits {
  readonly bytes: number;
  readonly #entries: ResourceEntries;
  readonly #seconds: number;

  constructor({ entries, bytes, seconds }: HistoryLimitsOptions) {
    this.bytes = bytes;
    this.#entries = entries;
    this.#seconds = seconds;
  }

  /** Drops the oldest changes of the largest histories if all histories together are too large. */
  trimBytes(): void {
    let bytes = 0;
    for (const { resource } of this.#entries) bytes += resource.history.bytes;
    if (bytes <= this.bytes) return;
    trimHistories(
      [...this.#entries].map(({ resource }) => resource.history),
      this.bytes,
    );
  }

  /** Drops all changes up to the present revision, and ends the subscriptions that have not seen them. */
  forget(revision: number): void {
    for (const { resource } of this.#entries) {
      resource.history.restart(revision);
      resource.endLost();
    }
  }

  /**
   * Drops the changes that are too old, and ends the subscriptions that have not seen them. `second` is the present
   * time. Returns the second of the oldest remaining changes.
   */
  trimAge(second: number): number {
    const oldest = second - this.#seconds;
    for (const { resource } of this.#entries) {
      resource.history.trimToSecond(oldest);
      resource.endLost();
    }
    return oldest;
  }
}
