import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';

type Change = 'added' | 'updated' | 'deleted';

/** One object, and its changes since a step began. */
interface Line {
  readonly resource: string;
  readonly uid: string;
  object: ApiObject;
  isGone: boolean;
  made: number;
  /** The values of each condition and of the requested state, in their order. */
  readonly values: Map<string, string[]>;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

/** Kinds with computed names. The time line numbers them in the order of their creation. */
const NUMBERED = ['replicasets', 'controllerrevisions'];

/**
 * Follows all objects of a namespace. At the end of a step, it reports their changes in words that fit both managers.
 */
export class TimeLine {
  readonly #lines = new Map<string, Line>();
  #events: ApiObject[] = [];
  readonly #labels = new Map<string, string>();
  /** Replacements for names and hashes that a manager generated. */
  readonly #names = new Map<string, string>();
  readonly #numbers = new Map<string, number>();
  /** The time of the last change, in milliseconds since 1970. */
  changedAt = Date.now();

  /** Records the current or last state of an object. */
  see(resource: string, change: Change, object: ApiObject): void {
    this.changedAt = Date.now();
    if (resource === 'events') {
      this.#events.push(object);
      return;
    }
    const { uid = '' } = object.metadata;
    const line = this.#lines.get(uid) ?? { resource, uid, object, isGone: false, made: 1, values: new Map() };
    this.#lines.set(uid, line);
    line.object = object;
    line.isGone = change === 'deleted';
    if (resource === 'pods') return;
    const { spec, status } = object as unknown as { spec?: JsonObject; status?: JsonObject };
    for (const { type, status: is, reason = '' } of (status?.['conditions'] ?? []) as unknown as Condition[])
      note(line, type, `${is} ${reason}`.trim());
    if (NUMBERED.includes(resource) && spec?.['replicas'] !== undefined)
      note(line, 'replicas', String(spec['replicas']));
  }

  /** Whether an object of a resource was made since the step began. */
  hasMade(resource: string): boolean {
    return [...this.#lines.values()].some((line) => line.resource === resource && line.made > 0);
  }

  /** The effects of the step, by subject. Later changes belong to the next step. */
  take(): ReadonlyMap<string, string> {
    const lines = [...this.#lines.values()];
    // The labels of pods and events contain the labels of their owners.
    for (const resource of NUMBERED) for (const line of lines) if (line.resource === resource) this.#number(line);
    const found = new Map<string, string>();
    const groups = new Map<string, Line[]>();
    for (const line of lines) groups.set(this.#labelOf(line), [...(groups.get(this.#labelOf(line)) ?? []), line]);
    for (const [label, group] of groups) {
      const states = group.filter(({ isGone }) => !isGone).map(({ object }) => this.#stateOf(object));
      for (const [i, state] of states.sort().entries())
        found.set(`${label}: state ${i + 1} of ${states.length}`, state);
      const [made, removed] = [count(group, ({ made }) => made > 0), count(group, ({ isGone }) => isGone)];
      if (made > 0) found.set(`${label}: made`, String(made));
      if (removed > 0) found.set(`${label}: removed`, String(removed));
      for (const { values } of group)
        for (const [what, some] of values) found.set(`${label}: ${what}`, some.join(', '));
    }
    for (const [label, reasons] of this.#reasons()) found.set(`events of ${label}`, [...reasons].sort().join(', '));
    for (const line of lines) {
      line.made = 0;
      for (const [what, some] of line.values) line.values.set(what, some.slice(-1));
      if (line.isGone) this.#lines.delete(line.uid);
    }
    this.#events = [];
    return found;
  }

  #number({ resource, uid, object: { metadata } }: Line): void {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
    if (owner === undefined || this.#labels.has(uid)) return;
    const kind = `${resource} of ${owner.name}`;
    const number = (this.#numbers.get(kind) ?? 0) + 1;
    this.#numbers.set(kind, number);
    this.#labels.set(uid, `${kind}, number ${number}`);
    this.#names.set(metadata.name ?? '', `${owner.name}/${number}`);
    for (const [key, value] of Object.entries(metadata.labels ?? {}))
      if (/hash$/.test(key)) this.#names.set(value, `hash/${number}`);
  }

  /** The label of an object, which is the same in both runs. Pods of one owner have one label. */
  #labelOf({ resource, uid, object: { metadata } }: Line): string {
    const known = this.#labels.get(uid);
    if (known !== undefined) return known;
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
    // Pods of stateful sets have names that do not change.
    const isMade = owner !== undefined && owner.kind !== 'StatefulSet' && ['pods', 'jobs'].includes(resource);
    let label = `${resource} ${metadata.name}`;
    if (isMade) {
      label = `${resource} of ${this.#named(owner?.name ?? '')}`;
      this.#names.set(metadata.name ?? '', `${this.#named(owner?.name ?? '')}*`);
    }
    this.#labels.set(uid, label);
    return label;
  }

  #reasons(): ReadonlyMap<string, ReadonlySet<string>> {
    const all = new Map<string, Set<string>>();
    for (const event of this.#events) {
      const { involvedObject, reason, type } = event as unknown as {
        involvedObject: { kind: string; name: string; uid?: string };
        reason: string;
        type: string;
      };
      const label =
        this.#labels.get(involvedObject.uid ?? '') ?? this.#named(`${involvedObject.kind} ${involvedObject.name}`);
      const reasons = all.get(label) ?? new Set();
      all.set(label, reasons.add(`${type} ${reason}`));
    }
    return all;
  }

  #stateOf(object: ApiObject): string {
    return this.#named(JSON.stringify(plain(object as unknown as JsonObject)));
  }

  #named(text: string): string {
    let named = text;
    for (const [name, label] of [...this.#names].sort(([a], [b]) => b.length - a.length))
      named = named.replaceAll(name, label);
    return named;
  }
}

/**
 * Members whose values differ in each run, or follow from other members. They include the label `pod-index`, which this
 * manager sets in all releases (docs/workloads.md).
 */
const OF_ONE_RUN = new RegExp(
  '^(uid|resourceVersion|managedFields|generation|observedGeneration|creationTimestamp|nodeName|podIPs?|hostIPs?|message|' +
    'startedAt|finishedAt|lastScheduleTime|generateName|deletionTimestamp|.*ID|.*controller-uid|.*/pod-index|.*\\.uid)$',
);

function plain(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? 'TIME' : value;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    members
      .filter(([name]) => !OF_ONE_RUN.test(name))
      .map(([name, member]) => [name, name === 'conditions' ? conditionsOf(member!) : plain(member!)]),
  );
}

/** Conditions without their times and texts, in one order. */
function conditionsOf(value: JsonValue): JsonValue {
  const conditions = (Array.isArray(value) ? value : []) as unknown as Condition[];
  return conditions.map(({ type, status, reason = '' }) => `${type}=${status} ${reason}`.trim()).sort();
}

function count(lines: readonly Line[], holds: (line: Line) => boolean): number {
  return lines.filter(holds).length;
}

function note({ values }: Line, what: string, value: string): void {
  const some = values.get(what) ?? [];
  if (some.at(-1) !== value) some.push(value);
  values.set(what, some);
}
