import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '#client/client.ts';
import type { Informer } from '#client/informer/informer.ts';
import { OwnWrites } from '#client/own-writes.ts';
import type { ResourceType } from '#client/resource-type.ts';
import { isNotOlder } from '#client/resource-version.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Term } from '../controller.ts';

/**
 * Remembers the writes that a controller makes for each key of its queue. The copies of informers are a moment behind
 * the server. If a controller counts objects before its copy shows its last creations, it creates the same objects
 * twice. So the controller waits here for its own writes before it reads the copies.
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

  /** @param types the types of the objects that the controller writes; it must have copies of these types */
  constructor(
    { client, informer, signal }: Pick<Term, 'client' | 'informer' | 'signal'>,
    types: readonly ResourceType[],
  ) {
    this.#client = client;
    this.#signal = signal;
    this.#copies = types.map((type) => ({ type, copy: informer(type) }));
  }

  /** Resolves when the copies show everything that the controller wrote for a key. @throws Error when the term ends */
  async seen(key: string): Promise<void> {
    const known = this.#writes.get(key);
    if (known === undefined) return;
    for (const { type, copy } of this.#copies) await known.writes.seenBy(copy, type, this.#signal);
    this.#writes.delete(key);
  }

  /** A client whose writes are remembered for a key. */
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

/** The pause after a list that failed, in milliseconds. */
const AGAIN_MS = 1000;
/** The number of objects in a page when a new leader lists the existing objects. */
const PAGE = 500;

type Reading = Pick<Term, 'reader' | 'informer' | 'signal'>;

/** The lists that are made at the beginning of a term, by type. All controllers of the term share them. */
const readings = new WeakMap<AbortSignal, Map<ResourceType, Promise<void>>>();

/**
 * Resolves when the copies show everything that any client wrote before the term began. A standby instance waits for
 * this when it begins to lead, because the previous leader may have written just before.
 *
 * @throws Error when the term ends
 */
export async function upToDate(term: Reading, types: readonly ResourceType[]): Promise<void> {
  const known = readings.get(term.signal) ?? new Map<ResourceType, Promise<void>>();
  readings.set(term.signal, known);
  await Promise.all(
    types.map((type) => {
      const reading = known.get(type) ?? persistently(() => typeUpToDate(term, type), term.signal);
      known.set(type, reading);
      return reading;
    }),
  );
}

/** Repeats some work until it succeeds, or until the term ends. */
async function persistently(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      return await work();
    } catch {
      signal.throwIfAborted();
      await sleep(AGAIN_MS, undefined, { signal });
    }
  }
}

async function typeUpToDate({ reader, informer, signal }: Reading, type: ResourceType): Promise<void> {
  const copy = informer(type);
  const versions = new Map<string, string>();
  for await (const { items } of reader.resource(type).metadataOnly().pages({ limit: PAGE, signal }))
    for (const { metadata } of items) versions.set(metadata.uid ?? '', metadata.resourceVersion ?? '');
  const newest = [...versions.values()].reduce((a, b) => (isNotOlder(b, a) ? b : a), '');
  // The version of the list itself would be enough. But if a collection does not change, its copy reaches that version
  // only with the next bookmark.
  const gone = new Set([...copy.all()].map(({ metadata }) => metadata.uid ?? '').filter((uid) => !versions.has(uid)));
  await copy.until(() => {
    if (newest !== '' && (copy.version === undefined || !isNotOlder(copy.version, newest))) return false;
    for (const { metadata } of gone.size === 0 ? [] : copy.all()) {
      // An object that is newer than the list was created later.
      if (gone.has(metadata.uid ?? '') && !isNotOlder(metadata.resourceVersion ?? '', newest)) return false;
    }
    return true;
  }, signal);
}
