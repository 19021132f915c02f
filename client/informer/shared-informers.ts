import { timerMs } from '#base/time/longest-timer.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Client } from '../client.ts';
import { nameOf, type ResourceType } from '../resource-type.ts';
import { Informer } from './informer.ts';
import { covers, type Fields, Projection, unite } from './projection.ts';
import { reflect } from './reflector.ts';

/** A collection of which a program needs a copy, and the fields that it needs of the objects. */
export interface InformerNeed<T extends ApiObject = ApiObject> {
  readonly type: ResourceType<T>;
  /** Fields besides the metadata. By default there are none. The server then sends only metadata. */
  readonly fields?: Fields;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface SharedInformersOptions {
  /**
   * The largest number of collections that are listed at the same time. Each list holds a whole page in memory. 3 by
   * default.
   */
  readonly listsAtOnce?: number;
  /**
   * The interval in milliseconds at which handlers get every object again, as an update. By default they do not get it
   * again.
   */
  readonly resyncMs?: number;
  readonly onError?: (what: string, error: unknown, retryInMs?: number) => void;
}

interface Shared {
  readonly need: InformerNeed;
  readonly informer: Informer<ApiObject>;
  /**
   * Whether the copy was requested before the start. `ready` then waits for it, and it is never dropped. The server may
   * refuse the list of a type that is requested later.
   */
  readonly lasting: boolean;
  fields: Fields;
  stop: AbortController | undefined;
}

/**
 * One copy of each collection, shared by all parts of a program. Before the start, each part names the fields that it
 * needs, so that the copy contains all of them. Copies of metadata can be requested at any time.
 *
 * @example
 * const informers = new SharedInformers(client);
 * const pods = informers.of(coreV1.pods, { fields: ['spec.nodeName'] });
 * informers.start(signal);
 * await informers.ready();
 * const mine = pods.find(byNamespace, 'default');
 */
export class SharedInformers {
  readonly #client: Client;
  readonly #options: SharedInformersOptions;
  readonly #shared = new Map<string, Shared>();
  readonly #turns: Turns;
  #signal: AbortSignal | undefined;

  constructor(client: Client, options: SharedInformersOptions = {}) {
    this.#client = client;
    this.#options = options;
    this.#turns = new Turns(options.listsAtOnce ?? 3);
  }

  /** The copy of a collection. @throws Error if a copy without these fields is already in use */
  of<T extends ApiObject>(type: ResourceType<T>, need: Omit<InformerNeed<T>, 'type'> = {}): Informer<T> {
    const { fields = [], labelSelector = '', fieldSelector = '' } = need;
    const name = nameOf(type, this.#client.naming);
    const id = [name, labelSelector, fieldSelector].join(' ').trim();
    let shared = this.#shared.get(id);
    if (shared === undefined) {
      const informer = new Informer<ApiObject>((error) => this.#options.onError?.(`a handler of ${name}`, error));
      const lasting = this.#signal === undefined;
      shared = { need: { ...need, type: type as ResourceType }, informer, lasting, fields, stop: undefined };
      this.#shared.set(id, shared);
      if (this.#signal !== undefined) this.#run(name, shared, this.#signal);
    } else if (!covers(shared.fields, fields)) {
      if (shared.stop !== undefined)
        throw new Error(`the copy of ${name} runs without ${String(fields)}: name the fields before the start`);
      shared.fields = unite(shared.fields, fields);
    }
    return shared.informer as unknown as Informer<T>;
  }

  /** Starts to fill all copies, including those that are requested later. Ends with the signal. */
  start(signal: AbortSignal): void {
    this.#signal = signal;
    for (const shared of this.#shared.values())
      if (shared.stop === undefined) this.#run(nameOf(shared.need.type, this.#client.naming), shared, signal);
    const { resyncMs = 0 } = this.#options;
    if (resyncMs <= 0) return;
    const timer = setInterval(() => this.resync(), timerMs(resyncMs));
    timer.unref();
    signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  }

  resync(): void {
    for (const { informer } of this.#shared.values()) informer.resync();
  }

  /** Resolves when all copies requested before the start have been filled once. */
  async ready(): Promise<void> {
    const lasting = [...this.#shared.values()].filter((shared) => shared.lasting);
    await Promise.all(lasting.map(({ informer }) => informer.ready()));
  }

  /** The names of collections that were requested before the start and are not filled yet. */
  get unfilled(): readonly string[] {
    return [...this.#shared].filter(([, { lasting, informer }]) => lasting && !informer.filled).map(([id]) => id);
  }

  /** The number of objects in all copies. */
  get size(): number {
    let size = 0;
    for (const { informer } of this.#shared.values()) size += informer.size;
    return size;
  }

  /**
   * Drops the copy of a type that is no longer served. Its handlers get a deletion of each object. Copies that were
   * requested before the start stay.
   */
  drop(type: ResourceType): void {
    const id = nameOf(type, this.#client.naming);
    const shared = this.#shared.get(id);
    if (shared === undefined || shared.lasting) return;
    this.#shared.delete(id);
    shared.stop?.abort();
    shared.informer.replace([]);
  }

  #run(name: string, shared: Shared, signal: AbortSignal): void {
    const { need, fields, informer } = shared;
    const stop = new AbortController();
    shared.stop = stop;
    signal.addEventListener('abort', () => stop.abort(), { once: true });
    const resource = this.#client.resource(need.type);
    const projection = new Projection(fields, this.#client.naming);
    void reflect(fields.length === 0 ? resource.metadataOnly() : resource, informer, stop.signal, {
      keep: (object) => projection.apply(object),
      labelSelector: need.labelSelector,
      fieldSelector: need.fieldSelector,
      onVersion: (version) => informer.reached(version),
      turn: (waiting) => this.#turns.take(waiting),
      onError: (error, retryInMs) => this.#options.onError?.(`watching ${name}`, error, retryInMs),
    });
  }
}

/** Limits how many tasks run at once. The others wait in order of arrival. */
class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** Resolves to the function that ends the task. */
  async take(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else
      await new Promise<void>((resolve, reject) => {
        const go = () => {
          signal.removeEventListener('abort', leave);
          resolve();
        };
        const leave = () => {
          this.#waiting.splice(this.#waiting.indexOf(go), 1);
          reject(signal.reason);
        };
        this.#waiting.push(go);
        signal.addEventListener('abort', leave, { once: true });
      });
    let given = false;
    return () => {
      if (given) return;
      given = true;
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    };
  }
}
