import { defaultRelease } from '#base/release/release.ts';
import { timerMs } from '#base/time/longest-timer.ts';
import type {
  FlowSchema,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
} from '#schema/generated/flowcontrol.apiserver.v1beta2.ts';
import type { RequestContext, RequestInfo } from '../api/request-context.ts';
import type { UserInfo } from '../api/user-info.ts';
import { IndexFollower } from '../cache/index-follower.ts';
import type { Item } from '../cache/item.ts';
import type { ResourceCache } from '../cache/resource-cache.ts';
import { CATCH_ALL, EXEMPT, MANDATORY_FLOW_SCHEMAS, mandatoryPriorityLevels } from '../kinds/flowcontrol/mandatory.ts';
import { FairQueues, type QueueLimits } from './fair-queues.ts';
import { distinguisher, inOrder, type MatchedSchema, readSchema } from './flow-schemas.ts';
import { lookAfterClients } from './idle-clients.ts';
import type { Refusal, Ticket } from './queue.ts';
import type { Work } from './work.ts';

/** An admitted or waiting request, in the form of the queue pages. */
export interface Asking {
  readonly schema: MatchedSchema;
  readonly distinguisher: string;
  readonly user: UserInfo;
  readonly info: RequestInfo;
  readonly receivedAt: number;
  readonly context: Pick<RequestContext, 'raw'>;
}

/** A priority level. Without queues its requests never wait. */
export interface Level {
  readonly name: string;
  uid: string;
  queues: FairQueues<Asking> | undefined;
  /** Whether the object of the level is deleted. The level stays until its last request has ended. */
  quiescing: boolean;
}

/** The schema and the level of a request. */
export interface Classified {
  readonly schema: MatchedSchema;
  readonly level: Level;
  readonly distinguisher: string;
}

/** Called for events of requests. Times are in milliseconds. */
export interface FlowObserver {
  /** Records another waiting request, with this many requests in its queue, including itself. */
  queued(of: Classified, length: number): void;
  waited(of: Classified, milliseconds: number, wasQueued: boolean, served: boolean): void;
  refused(of: Classified, why: Refusal): void;
  began(of: Classified, work: Work, at: number): void;
  ended(of: Classified, work: Work, beganAt: number, at: number): void;
  /** Adds `by` to the number of reading or mutating requests that wait or are served. */
  side(phase: 'waiting' | 'executing', kind: 'reading' | 'mutating', by: number, at: number): void;
}

/** The seats of a priority level, if `total` seats are divided by `shares`. */
function limitsOf({ limited }: PriorityLevelConfigurationSpec, total: number, shares: number): QueueLimits {
  const own = limited?.assuredConcurrencyShares ?? 0;
  const seats = Math.max(1, Math.ceil((total * own) / Math.max(1, shares)));
  const queuing = limited?.limitResponse?.type === 'Queue' ? limited.limitResponse.queuing : undefined;
  return {
    seats,
    queues: queuing?.queues ?? 0,
    handSize: queuing?.handSize ?? 0,
    queueLength: queuing?.queueLengthLimit ?? 0,
  };
}

/** A schema that matches some of the requests of a user. */
interface Candidate {
  readonly schema: MatchedSchema;
  readonly level: Level;
  readonly matches: (info: RequestInfo) => boolean;
}

/** The number of users whose schemas are remembered. */
const MOST_USERS = 2048;

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((text, i) => text === b[i]));
}

interface Objects<T> {
  readonly follower: IndexFollower;
  readonly items: Map<string, Item>;
  readonly read: (item: Item) => T;
}

/** The used part of a cache. */
export interface FlowObjects {
  readonly schemas: ResourceCache;
  readonly levels: ResourceCache;
  readonly parsed: (item: Item) => unknown;
}

/**
 * Decides which requests the server serves if it cannot serve all. A flow schema gives a request its priority level,
 * and the level gives it seats. Both are stored objects, and a change affects the next request. If a mandatory object
 * is missing, its built-in form applies.
 */
export class FlowControl {
  readonly #total: number;
  readonly #schemas: Objects<FlowSchema>;
  readonly #levels: Objects<PriorityLevelConfiguration>;
  readonly #known = new Map<string, Level>();
  readonly #now: (() => number) | undefined;
  #ordered: readonly MatchedSchema[] = [];
  #stale = true;
  readonly #users = new Map<
    string,
    { readonly groups: readonly string[]; readonly candidates: readonly Candidate[] }
  >();

  /** @param total the number of requests that may be served at once, in all levels together */
  constructor(total: number, objects: FlowObjects, now?: () => number) {
    this.#total = total;
    this.#now = now;
    this.#schemas = this.#follow(objects.schemas, objects.parsed);
    this.#levels = this.#follow(objects.levels, objects.parsed);
  }

  /** How many requests may be served at once. */
  get total(): number {
    return this.#total;
  }

  /** The levels by name, including those that are being removed. */
  get levels(): readonly Level[] {
    this.#bringUpToDate();
    for (const [name, { quiescing, queues }] of this.#known)
      if (quiescing && queues?.isIdle !== false) this.#known.delete(name);
    return [...this.#known.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  classify(user: UserInfo, info: RequestInfo): Classified {
    this.#bringUpToDate();
    for (const { schema, level, matches } of this.#meantBy(user))
      if (matches(info)) return { schema, level, distinguisher: distinguisher(schema, user, info) };
    const schema = this.#ordered.find(({ name }) => name === CATCH_ALL)!;
    return { schema, level: this.#known.get(CATCH_ALL)!, distinguisher: user.name };
  }

  /** The flow schemas that may apply to a user. The result is remembered, because a few users send most requests. */
  #meantBy(user: UserInfo): readonly Candidate[] {
    const known = this.#users.get(user.name);
    if (known !== undefined && sameTexts(known.groups, user.groups)) return known.candidates;
    const candidates = this.#ordered.flatMap((schema): Candidate[] => {
      const level = this.#known.get(schema.level);
      // A schema whose level is missing or being deleted matches no request.
      const matches = level === undefined || level.quiescing ? undefined : schema.rulesFor(user);
      return matches === undefined ? [] : [{ schema, level: level!, matches }];
    });
    if (this.#users.size >= MOST_USERS) this.#users.clear();
    this.#users.set(user.name, { groups: user.groups, candidates });
    return candidates;
  }

  #follow<T>(cache: ResourceCache, parsed: (item: Item) => unknown): Objects<T> {
    const items = new Map<string, Item>();
    const stale = () => {
      this.#stale = true;
    };
    const follower = new IndexFollower(cache, {
      clear() {
        items.clear();
        stale();
      },
      add(item) {
        items.set(item.key, item);
        stale();
      },
      remove(key) {
        items.delete(key);
        stale();
      },
    });
    return { follower, items, read: (item) => parsed(item) as T };
  }

  #bringUpToDate(): void {
    this.#schemas.follower.catchUp();
    this.#levels.follower.catchUp();
    if (!this.#stale) return;
    this.#stale = false;
    const schemas = new Map(mandatory<FlowSchema>(MANDATORY_FLOW_SCHEMAS));
    for (const item of this.#schemas.items.values()) schemas.set(item.name, this.#schemas.read(item));
    this.#ordered = inOrder([...schemas.values()].map(readSchema));
    this.#setLevels();
    this.#users.clear();
  }

  #setLevels(): void {
    const wanted = new Map(mandatory<PriorityLevelConfiguration>(mandatoryPriorityLevels(defaultRelease)));
    for (const item of this.#levels.items.values()) wanted.set(item.name, this.#levels.read(item));
    let shares = 0;
    for (const { spec } of wanted.values()) shares += spec?.limited?.assuredConcurrencyShares ?? 0;
    for (const [name, { metadata, spec }] of wanted) {
      const level = this.#levelOf(name);
      level.uid = metadata.uid ?? '';
      level.quiescing = false;
      // This level is exempt with any spec, because administrators need it for access.
      if (spec === undefined || spec.type === 'Exempt' || name === EXEMPT) {
        level.queues = undefined;
        continue;
      }
      const limits = limitsOf(spec, this.#total, shares);
      if (level.queues === undefined) level.queues = new FairQueues(limits, this.#now);
      else level.queues.limits = limits;
    }
    for (const [name, level] of this.#known) if (!wanted.has(name)) level.quiescing = true;
  }

  #levelOf(name: string): Level {
    let level = this.#known.get(name);
    if (level === undefined) this.#known.set(name, (level = { name, uid: '', queues: undefined, quiescing: false }));
    return level;
  }
}

/** The defaults for missing mandatory objects. */
function mandatory<T extends FlowSchema | PriorityLevelConfiguration>(
  specs: Readonly<Record<string, NonNullable<T['spec']>>>,
): [string, T][] {
  return Object.entries(specs).map(([name, spec]) => [name, { metadata: { name }, spec } as T]);
}

/** The seats that a request got. `done`, called once, returns them. Times are those of `performance.now()`. */
export interface Turn {
  readonly began: number;
  done(at: number): void;
}

/**
 * Waits until a request gets its seats, for at most `limitMs`, and only while its client is connected. Returns the
 * seats at once if no request is ahead, otherwise a promise. A refusal states the reason.
 */
export function takeTurn(
  of: Classified,
  context: Pick<RequestContext, 'info' | 'raw' | 'receivedAt' | 'signal' | 'stages'> & { readonly user: UserInfo },
  work: Work,
  limitMs: number,
  observer: FlowObserver,
): Turn | Refusal | Promise<Turn | Refusal> {
  const { queues } = of.level;
  // A request that runs at once starts at the end of the filters before, so the clock is not read again.
  const began = context.stages.last;
  if (queues === undefined) {
    observer.waited(of, 0, false, true);
    observer.began(of, work, began);
    return { began, done: (at) => observer.ended(of, work, began, at) };
  }
  const { info, receivedAt, user } = context;
  const { schema } = of;
  const asking: Asking = { schema, distinguisher: of.distinguisher, user, info, receivedAt, context };
  const entered = queues.enter(asking, `${schema.name}\0${of.distinguisher}`, work);
  if (typeof entered === 'string') {
    observer.refused(of, entered);
    return entered;
  }
  if (entered.state === 'served') {
    observer.waited(of, 0, false, true);
    return turnOf(of, queues, entered, observer, began);
  }
  observer.queued(of, entered.queue!.waiting.length);
  lookAfterClients(queues);
  const { signal } = context;
  return new Promise((resolve) => {
    const since = performance.now();
    const leave = () => queues.giveUp(entered, 'cancelled');
    const timer = setTimeout(() => queues.giveUp(entered, 'time-out'), timerMs(limitMs));
    signal.addEventListener('abort', leave, { once: true });
    entered.settle = (refusal) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      const now = performance.now();
      observer.waited(of, now - since, true, refusal === undefined);
      if (refusal === undefined) resolve(turnOf(of, queues, entered, observer, now));
      else {
        observer.refused(of, refusal);
        resolve(refusal);
      }
    };
    if (signal.aborted) leave();
  });
}

function turnOf(
  of: Classified,
  queues: FairQueues<Asking>,
  ticket: Ticket<Asking>,
  observer: FlowObserver,
  began: number,
): Turn {
  observer.began(of, ticket.work, began);
  const ended = (at: number) => observer.ended(of, ticket.work, began, at);
  ticket.vacated = () => ended(performance.now());
  return {
    began,
    done(at) {
      const { state } = ticket;
      if (state === 'done') return;
      // This happens before another request gets its seats.
      if (state === 'served') ended(at);
      queues.finish(ticket);
    },
  };
}
