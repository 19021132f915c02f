import { TokenBucket } from '#base/limits/token-bucket.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Node } from '#schema/generated/core.v1.ts';

/** How much of a zone is not ready. If no node of a zone is ready, the fault is probably here or in the network. */
export type ZoneState = 'Normal' | 'PartialDisruption' | 'FullDisruption';

export interface EvictionRates {
  /** The number of nodes per second whose pods are evicted in healthy zones. */
  readonly normal: number;
  /** The number in large zones that are disrupted. In small disrupted zones it is zero. */
  readonly disrupted: number;
  /** The number of nodes up to which a zone is small. */
  readonly largeFrom: number;
  /** The share of nodes that are not ready from which a zone is disrupted. */
  readonly unhealthyShare: number;
}

/** The zone of a node by its labels; '' if it has none. */
export function zoneOf({ metadata }: Node, naming: Naming): string {
  const labels = metadata.labels ?? {};
  const label = (name: string) => (Object.hasOwn(labels, naming.key(name)) ? labels[naming.key(name)]! : '');
  const zone = label('topology/zone') || label('failure-domain.beta/zone');
  const region = label('topology/region') || label('failure-domain.beta/region');
  return zone === '' && region === '' ? '' : `${region}:\0:${zone}`;
}

/** The state of a zone with these numbers of nodes that are ready and not ready. */
export function zoneState(ready: number, notReady: number, unhealthyShare: number): ZoneState {
  if (ready === 0 && notReady > 0) return 'FullDisruption';
  return notReady > 2 && notReady / (notReady + ready) >= unhealthyShare ? 'PartialDisruption' : 'Normal';
}

function rateOf(state: ZoneState, nodes: number, { normal, disrupted, largeFrom }: EvictionRates): number {
  if (state !== 'PartialDisruption') return normal;
  return nodes > largeFrom ? disrupted : 0;
}

/** One zone: its state, and the failed nodes whose pods wait for eviction, in the order of their failures. */
class Zone {
  state: ZoneState | undefined;
  rate: number;
  limit: TokenBucket;
  readonly waiting = new Set<string>();

  constructor(rate: number, now: () => number) {
    this.rate = rate;
    this.limit = new TokenBucket(rate, 1, now);
  }
}

/** The change since the last count: all zones together have entered or left a full disruption. */
export type Disruption = 'entered' | 'left' | undefined;

/**
 * How fast failed nodes lose their pods, by zone. If no node of any zone is ready, no node loses its pods: nodes that
 * all fail at once are probably unreachable and still work.
 */
export class Zones {
  readonly #rates: EvictionRates;
  readonly #now: () => number;
  readonly #zones = new Map<string, Zone>();

  constructor(rates: EvictionRates, now: () => number) {
    this.#rates = rates;
    this.#now = now;
  }

  /** Adds a node to the waiting nodes of its zone. */
  add(zone: string, node: string): void {
    this.#zone(zone).waiting.add(node);
  }

  /** Removes a node from the waiting nodes of all zones. */
  remove(node: string): void {
    for (const { waiting } of this.#zones.values()) waiting.delete(node);
  }

  /** The zones in which nodes wait. */
  get waiting(): readonly string[] {
    return [...this.#zones].filter(([, { waiting }]) => waiting.size > 0).map(([name]) => name);
  }

  /** The next node of a zone; undefined if none waits, or if the rate does not allow one yet. */
  next(zone: string): string | undefined {
    const { waiting, limit, rate } = this.#zone(zone);
    const [node] = waiting;
    if (node === undefined || rate <= 0 || !limit.take()) return undefined;
    waiting.delete(node);
    return node;
  }

  /** The time until the next eviction in a zone, in milliseconds; undefined if none is planned. */
  waitOf(zone: string): number | undefined {
    const { waiting, rate } = this.#zone(zone);
    return waiting.size === 0 || rate <= 0 ? undefined : Math.min(5000, Math.max(20, 250 / rate));
  }

  /** Records how many nodes of each zone are ready and not ready, and sets the rates. */
  count(counts: ReadonlyMap<string, { readonly ready: number; readonly notReady: number }>): Disruption {
    for (const name of this.#zones.keys()) if (!counts.has(name)) this.#zones.delete(name);
    if (counts.size === 0) return undefined;
    const wereDown = this.#zones.size > 0 && [...this.#zones.values()].every(({ state }) => state === 'FullDisruption');
    const states = [...counts].map(([name, { ready, notReady }]) => ({
      zone: this.#zone(name),
      nodes: ready + notReady,
      state: zoneState(ready, notReady, this.#rates.unhealthyShare),
    }));
    const areDown = states.every(({ state }) => state === 'FullDisruption');
    if (areDown && wereDown) return undefined;
    for (const { zone, nodes, state } of states) {
      this.#setRate(zone, areDown ? 0 : rateOf(state, nodes, this.#rates));
      zone.state = state;
    }
    if (areDown) return 'entered';
    return wereDown ? 'left' : undefined;
  }

  #zone(name: string): Zone {
    let zone = this.#zones.get(name);
    if (zone === undefined) {
      zone = new Zone(this.#rates.normal, this.#now);
      this.#zones.set(name, zone);
    }
    return zone;
  }

  /** Sets the rate. An eviction that just happened still counts. */
  #setRate(zone: Zone, rate: number): void {
    if (zone.rate === rate) return;
    const used = zone.rate > 0 && !zone.limit.take();
    zone.rate = rate;
    zone.limit = new TokenBucket(rate, 1, this.#now);
    if (used) zone.limit.take();
  }
}
