import type { Client } from '#client/client.ts';
import type { Informer } from '#client/informer/informer.ts';
import { OwnWrites } from '#client/own-writes.ts';
import type { ResourceType } from '#client/resource-type.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Term } from '../controller.ts';

/**
 * What was written for each key of a queue. Copies are a moment behind, so a controller that counted before its last
 * creations are in its copy would create them twice. It waits for them here, before it looks at the copies.
 *
 * @example
 * const expectations = new Expectations(term, [coreV1.pods]);
 * await expectations.seen(key); // at the beginning of the work on a key
 * await expectations.client(key).resource(coreV1.pods).in(namespace).create(pod); // all of its writes
 */
export class Expectations {
  readonly #client: Client;
  readonly #signal: AbortSignal;
  readonly #copies: readonly { readonly type: ResourceType; readonly copy: Informer<ApiObject> }[];
  readonly #writes = new Map<string, { readonly writes: OwnWrites; readonly client: Client }>();

  /** @param types whose writes count; the controller needs copies of them */
  constructor(
    { client, informer, signal }: Pick<Term, 'client' | 'informer' | 'signal'>,
    types: readonly ResourceType[],
  ) {
    this.#client = client;
    this.#signal = signal;
    this.#copies = types.map((type) => ({ type, copy: informer(type) }));
  }

  /** Resolves when the copies show everything that was written for a key. @throws when the term ends */
  async seen(key: string): Promise<void> {
    const known = this.#writes.get(key);
    if (known === undefined) return;
    for (const { type, copy } of this.#copies) await known.writes.seenBy(copy, type, this.#signal);
    this.#writes.delete(key);
  }

  /** A client whose writes are for a key. */
  client(key: string): Client {
    let known = this.#writes.get(key);
    if (known === undefined) {
      const writes = new OwnWrites();
      known = { writes, client: this.#client.remembering(writes) };
      this.#writes.set(key, known);
    }
    return known.client;
  }
}

/**
 * Resolves when the copies show everything that was written before this call, by whatever client. A standby instance
 * waits for that when it begins to lead: the last leader may have written a moment ago.
 *
 * @throws when the term ends
 */
export async function upToDate(
  { client, informer, signal }: Pick<Term, 'client' | 'informer' | 'signal'>,
  types: readonly ResourceType[],
): Promise<void> {
  await Promise.all(
    types.map(async (type) => {
      const { metadata } = await client.resource(type).metadataOnly().list({ limit: 1, signal });
      const writes = new OwnWrites();
      writes.note(type, client.naming, { metadata });
      await writes.seenBy(informer(type), type, signal);
    }),
  );
}
