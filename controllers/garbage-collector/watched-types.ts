import { timerMs } from '#base/time/longest-timer.ts';
import type { DiscoveredType } from '#client/discovery/discovered.ts';
import { apiextensionsV1, apiregistrationV1 } from '#client/generated/resources.ts';
import type { Informer } from '#client/informer/informer.ts';
import { nameOf } from '#client/resource-type.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Standing } from '../controller.ts';
import { every } from '../every.ts';

/** A type of which a copy is kept. */
export interface WatchedType {
  /** The full name, such as `configmaps` or `deployments.apps`. */
  readonly name: string;
  readonly type: DiscoveredType;
  readonly objects: Informer<ApiObject>;
  /** The time at which the type was first seen, by `performance.now()`. */
  readonly since: number;
}

/**
 * The interval at which types are read even without an announced change, because other servers may change their types.
 */
const LOOK_MS = 30_000;
/**
 * The waiting time after a change of a definition. The server needs a moment to serve its types, and more changes may
 * follow.
 */
const SETTLE_MS = 300;
const RETRY_MS = 3000;
/** Types that may have very many objects, and whose objects have no owners. */
const IGNORED = new Set(['events']);

/**
 * Watches the metadata of all objects that can be deleted. The set of types changes. So the code also watches
 * definitions of custom types and of extension servers, and reads discovery again after each of their changes.
 */
export class WatchedTypes {
  readonly #standing: Standing;
  readonly #types = new Map<string, WatchedType>();
  readonly #byKind = new Map<string, WatchedType>();
  readonly #listeners = new Set<(added: readonly WatchedType[]) => void>();
  #timer: NodeJS.Timeout | undefined;
  #looking = false;
  #lookAgain = false;
  #known = false;
  /** True while a copy is being dropped. Its objects still exist, but the copy no longer shows them. */
  #dropping = false;

  constructor(standing: Standing) {
    this.#standing = standing;
    const { informers, ended } = standing;
    const changed = () => this.#soon();
    for (const type of [apiextensionsV1.customresourcedefinitions, apiregistrationV1.apiservices])
      informers.of<ApiObject>(type).on({ added: changed, updated: changed, deleted: changed }, ended);
    ended.addEventListener('abort', () => clearTimeout(this.#timer), { once: true });
    every(LOOK_MS, ended, () => void this.#look());
    void this.#look();
  }

  all(): Iterable<WatchedType> {
    return this.#types.values();
  }

  named(name: string): WatchedType | undefined {
    return this.#types.get(name);
  }

  ofKind(group: string, kind: string): WatchedType | undefined {
    return this.#byKind.get(`${group}/${kind}`);
  }

  /** Whether an object may still exist although its copy reports its deletion. */
  get dropping(): boolean {
    return this.#dropping;
  }

  /**
   * The types that were found less than `withinMs` milliseconds ago and whose objects are not known yet; undefined
   * while no types are known.
   */
  unfilled(withinMs: number): readonly string[] | undefined {
    if (!this.#known) return undefined;
    const now = performance.now();
    return [...this.#types.values()]
      .filter(({ objects, since }) => !objects.filled && now - since < withinMs)
      .map(({ name }) => name);
  }

  /**
   * Calls `listener` with the types that are watched now, and with each type that is added later, until the signal
   * aborts. The list is empty if types were only removed.
   */
  on(listener: (added: readonly WatchedType[]) => void, signal: AbortSignal): void {
    this.#listeners.add(listener);
    signal.addEventListener('abort', () => this.#listeners.delete(listener), { once: true });
    listener([...this.#types.values()]);
  }

  #soon(ms = SETTLE_MS): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#look();
    }, timerMs(ms));
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    if (this.#looking) {
      this.#lookAgain = true;
      return;
    }
    this.#looking = true;
    const { discovery, ended, log } = this.#standing;
    try {
      do {
        this.#lookAgain = false;
        const discovered = await discovery.since(performance.now());
        if (ended.aborted) return;
        const isUnknown = ({ group, version }: DiscoveredType) =>
          discovered.failed.has(group === '' ? version : `${group}/${version}`);
        this.#take(discovered.thatCan('list', 'watch', 'delete'), isUnknown);
      } while (this.#lookAgain);
    } catch (err) {
      if (!ended.aborted) {
        log.warn({ err }, "the server's resource types cannot be read");
        this.#soon(RETRY_MS);
      }
    } finally {
      this.#looking = false;
    }
  }

  #take(served: readonly DiscoveredType[], isUnknown: (type: DiscoveredType) => boolean): void {
    const { naming, informers, log } = this.#standing;
    const wanted = new Map(
      served.filter(({ plural }) => !IGNORED.has(plural)).map((type) => [nameOf(type, naming), type]),
    );
    const gone: string[] = [];
    for (const [name, { type }] of this.#types) {
      const now = wanted.get(name);
      if (now === undefined ? isUnknown(type) : now.version === type.version && now.kind === type.kind) continue;
      this.#types.delete(name);
      this.#byKind.delete(`${type.group}/${type.kind}`);
      this.#dropping = true;
      informers.drop(type);
      this.#dropping = false;
      gone.push(name);
    }
    const added: WatchedType[] = [];
    for (const [name, type] of wanted) {
      if (this.#types.has(name)) continue;
      const watched = { name, type, objects: informers.of(type), since: performance.now() };
      this.#types.set(name, watched);
      this.#byKind.set(`${type.group}/${type.kind}`, watched);
      added.push(watched);
    }
    if (this.#known && (added.length > 0 || gone.length > 0))
      log.info({ added: added.map(({ name }) => name), gone }, "the server's resource types have changed");
    const first = !this.#known;
    this.#known = true;
    if (first || added.length > 0 || gone.length > 0) for (const listener of this.#listeners) listener(added);
  }
}
