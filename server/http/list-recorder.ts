import type { AuditRecord } from '../api/audit-record.ts';
import type { ListContent } from '../api/list-content.ts';
import type { Negotiated, RequestContext } from '../api/request-context.ts';
import { encodeList } from '../codecs/encode-list.ts';
import type { Registry } from '../resources/registry.ts';

/**
 * The largest list that is kept as the body of an event, in bytes. By default, backends accept events up to this size.
 */
const LARGEST = 10 << 20;

/** The largest number of waiting lists. Each keeps its objects in memory. */
const MOST_WAITING = 100;

/**
 * Records the answers that are lists, one at a time, after their end. So at most one body of a list is in memory,
 * whatever the clients do. A list that is too large is recorded without its body, and so is a list that arrives while
 * too many wait.
 */
export class ListRecorder {
  readonly #largest: number;
  readonly #mostWaiting: number;
  #waiting = 0;
  #last: Promise<void> = Promise.resolve();

  constructor({ largest = LARGEST, mostWaiting = MOST_WAITING } = {}) {
    this.#largest = largest;
    this.#mostWaiting = mostWaiting;
  }

  /** Ends the record of a request that was answered with a list. */
  async complete(
    audit: AuditRecord,
    content: ListContent,
    negotiated: Negotiated,
    context: RequestContext,
    registry: Registry,
  ): Promise<void> {
    if (this.#waiting >= this.#mostWaiting) {
      audit.responseTooLarge();
      await audit.completed();
      return;
    }
    this.#waiting++;
    const before = this.#last;
    let done = (): void => {};
    this.#last = new Promise((resolve) => (done = resolve));
    try {
      await before;
      const json = await this.#jsonOf(content, negotiated, context, registry);
      if (json === undefined) audit.responseTooLarge();
      else audit.response(json);
      await audit.completed();
    } finally {
      this.#waiting--;
      done();
    }
  }

  /** The list as JSON; undefined if it is too large. */
  async #jsonOf(
    content: ListContent,
    negotiated: Negotiated,
    context: RequestContext,
    registry: Registry,
  ): Promise<string | undefined> {
    const form: Negotiated = { ...negotiated, format: 'json', pretty: false };
    const { chunks, length = 0 } = await encodeList(registry, content, form, context);
    if (length > this.#largest) return undefined;
    const copies: Buffer[] = [];
    let size = 0;
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > this.#largest) return undefined;
      copies.push(Buffer.from(chunk));
    }
    return Buffer.concat(copies).toString().trimEnd();
  }
}
