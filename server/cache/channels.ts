import { type CacheHost, Channel } from './channel.ts';
import { type Fact, statedValue } from './fact.ts';
import type { History } from './history.ts';
import type { Interest } from './interest.ts';
import type { ItemChange } from './item.ts';
import { inScope, type Scope } from './key-order.ts';
import type { CacheSubscription } from './subscription.ts';

/** The channels of those who ask for one label or field, by the value that they ask for. */
interface ByValue extends Pick<Fact, 'of' | 'name'> {
  readonly channels: Map<string, Map<Scope, Channel>>;
}

/**
 * The channels of a resource, found by the change: one that concerns a node's watcher visits this watcher, and those of
 * everything, and none of the other nodes'.
 */
export class Channels {
  readonly #host: CacheHost;
  readonly #byScope = new Map<Scope, Channel>();
  readonly #byFact = new Map<string, ByValue>();

  constructor(host: CacheHost) {
    this.#host = host;
  }

  *[Symbol.iterator](): IterableIterator<Channel> {
    yield* this.#byScope.values();
    for (const { channels } of this.#byFact.values()) for (const ofValue of channels.values()) yield* ofValue.values();
  }

  /** All that subscribe to any of them, in an array of its own. */
  get subscriptions(): CacheSubscription[] {
    return [...this].flatMap(({ subscriptions }) => [...subscriptions]);
  }

  /** The channel of an interest; made where there is none. It is forgotten with its last subscriber. */
  open(interest: Interest, history: History): Channel {
    const { fact, scope } = interest;
    const channels = fact === undefined ? this.#byScope : this.#ofFact(fact);
    const known = channels.get(scope);
    if (known !== undefined) return known;
    const opened = new Channel(this.#host, history, interest, () => {
      if (channels.get(scope) !== opened) return;
      channels.delete(scope);
      if (fact !== undefined && channels.size === 0) this.#forget(fact);
    });
    channels.set(scope, opened);
    return opened;
  }

  /** Tells those whom it concerns of a change, which has been added to the history under this sequence number. */
  tell(change: ItemChange, sequence: number): void {
    const { key } = (change.item ?? change.previous)!;
    if (this.#byScope.size > 0) {
      this.#byScope.get('')?.add(sequence);
      this.#byScope.get(key)?.add(sequence);
      const slash = key.indexOf('/');
      if (slash >= 0) this.#byScope.get(key.slice(0, slash + 1))?.add(sequence);
    }
    for (const asked of this.#byFact.values()) {
      const before = change.previous && statedValue(change.previous, asked);
      const after = change.item && statedValue(change.item, asked);
      for (const value of before === after ? [after] : [before, after]) {
        const channels = value === undefined ? undefined : asked.channels.get(value);
        if (channels === undefined) continue;
        for (const [scope, channel] of channels) if (inScope(scope, key)) channel.add(sequence);
      }
    }
  }

  /** Forgets all of them. */
  clear(): void {
    this.#byScope.clear();
    this.#byFact.clear();
  }

  #ofFact({ of, name, value }: Fact): Map<Scope, Channel> {
    const id = `${of} ${name}`;
    const asked = this.#byFact.get(id) ?? { of, name, channels: new Map() };
    this.#byFact.set(id, asked);
    const channels = asked.channels.get(value) ?? new Map<Scope, Channel>();
    asked.channels.set(value, channels);
    return channels;
  }

  #forget({ of, name, value }: Fact): void {
    const id = `${of} ${name}`;
    const asked = this.#byFact.get(id);
    if (asked?.channels.get(value)?.size !== 0) return;
    asked.channels.delete(value);
    if (asked.channels.size === 0) this.#byFact.delete(id);
  }
}
