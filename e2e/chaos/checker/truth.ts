import type { Change, Scope, Value, WatchEvent } from './history.ts';

/** An event that a watch of some scope must see. */
export type Expected = Exclude<WatchEvent, { type: 'BOOKMARK' }>;

/** The changes that etcd recorded, with queries for the checks. */
export class Truth {
  readonly changes: readonly Change[];
  readonly #byKey = new Map<string, Change[]>();
  readonly #byId = new Map<string, Change[]>();
  readonly #projections = new Map<string, readonly Expected[]>();

  constructor(changes: readonly Change[]) {
    this.changes = changes;
    for (const change of changes) {
      push(this.#byKey, change.key, change);
      if (change.value !== undefined && change.again !== true) push(this.#byId, change.value.id, change);
    }
  }

  get keys(): Iterable<string> {
    return this.#byKey.keys();
  }

  /** The changes of a key, by revision. */
  of(key: string): readonly Change[] {
    return this.#byKey.get(key) ?? [];
  }

  /** The changes that put an id. More than one is a violation. */
  withId(id: string): readonly Change[] {
    return this.#byId.get(id) ?? [];
  }

  /** The change of a key at a revision. */
  at(key: string, revision: number): Change | undefined {
    const changes = this.of(key);
    const change = changes[firstAfter(changes, revision) - 1];
    return change?.revision === revision ? change : undefined;
  }

  /** The first change of a key after a revision. */
  after(key: string, revision: number): Change | undefined {
    const changes = this.of(key);
    return changes[firstAfter(changes, revision)];
  }

  /** The smallest revision, not below `from`, at which a key's last change passes the test. */
  firstState(key: string, from: number, test: (last: Change | undefined) => boolean): number | undefined {
    const changes = this.of(key);
    let next = firstAfter(changes, from);
    if (test(changes[next - 1])) return from;
    for (; next < changes.length; next++) if (test(changes[next])) return changes[next]!.revision;
    return undefined;
  }

  /** The events that a watch of this scope sees from the beginning onwards. */
  events(scope: Scope): readonly Expected[] {
    const name = `${scope.prefix} ${scope.color ?? ''}`;
    const known = this.#projections.get(name);
    if (known !== undefined) return known;
    const events: Expected[] = [];
    const last = new Map<string, Value | undefined>();
    for (const { key, revision, value } of this.changes) {
      if (!key.startsWith(scope.prefix)) continue;
      const before = selected(scope, last.get(key));
      const now = selected(scope, value);
      last.set(key, value);
      const place = { at: 0, key, revision };
      if (now !== undefined) events.push({ ...place, type: before === undefined ? 'ADDED' : 'MODIFIED', id: now.id });
      else if (before !== undefined) events.push({ ...place, type: 'DELETED', id: before.id });
    }
    this.#projections.set(name, events);
    return events;
  }

  /** The changes of a key around a revision, for the report. */
  evidence(key: string, revision: number): readonly Change[] {
    const changes = this.of(key);
    const next = firstAfter(changes, revision);
    return changes.slice(Math.max(0, next - 3), next + 3);
  }
}

/** The state, which advances from revision to revision. */
export class Replay {
  readonly #changes: readonly Change[];
  readonly #state = new Map<string, Change>();
  #next = 0;

  constructor(truth: Truth) {
    this.#changes = truth.changes;
  }

  /** The stored values in scope at a revision, by key. Revisions must not decrease from call to call. */
  at(revision: number, scope: Scope): Change[] {
    for (; this.#next < this.#changes.length; this.#next++) {
      const change = this.#changes[this.#next]!;
      if (change.revision > revision) break;
      if (change.value === undefined) this.#state.delete(change.key);
      else this.#state.set(change.key, change);
    }
    return [...this.#state.values()]
      .filter(({ key, value }) => key.startsWith(scope.prefix) && selected(scope, value) !== undefined)
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }
}

/** The index of the first element whose revision is above `revision`. The elements are sorted by revision. */
export function firstAfter(elements: readonly { readonly revision: number }[], revision: number): number {
  let low = 0;
  let high = elements.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (elements[middle]!.revision > revision) high = middle;
    else low = middle + 1;
  }
  return low;
}

function selected(scope: Scope, value: Value | undefined): Value | undefined {
  return scope.color === undefined || value?.color === scope.color ? value : undefined;
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
