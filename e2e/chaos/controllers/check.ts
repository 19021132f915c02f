/** The laws: their names and texts. */
export const laws = {
  alone: 'once an instance has taken the lease no other one changes anything, until it has taken the lease again',
  decided: 'every change says which object, or which version of it, it was decided on',
  once: 'a request is signed once',
  bound: 'a pod is bound once',
  available: 'a rollout never has fewer pods ready than it promises, nor more pods than it may',
  finished: 'what was asked for is done in the end',
  followed: 'a leader that is killed, cut off, or frozen for longer than its lease is followed by another one',
  sound: 'nothing that is stored is damaged',
} as const;

export type Law = keyof typeof laws;

export interface Violation {
  readonly law: Law;
  readonly message: string;
}

/** A change that an instance requested from a replica, according to the audit log. */
export interface Write {
  /** The name of the instance. */
  readonly by: string;
  /** The times at which the replica got the request and had answered it, in milliseconds since 1970. */
  readonly at: number;
  readonly answered: number;
  readonly verb: string;
  /** `resource/namespace/name`, and the subresource. */
  readonly what: string;
  readonly code: number;
  /** Whether its body names a uid or a resource version. */
  readonly bound: boolean;
  /** The uid of the object into whose status it puts a certificate. */
  readonly signs?: string | undefined;
  /** The holder that a write of the lease names. */
  readonly holder?: string | undefined;
}

/** A time in which requests of an instance may have been delayed in transit. */
export interface Delay {
  readonly by: string;
  readonly from: number;
  readonly until: number;
}

/** A time in which a leader could not lead, in milliseconds since 1970. */
export interface Fall {
  readonly by: string;
  /** The kind of the failure, which is `killed`, `frozen` or `cut`. */
  readonly how: string;
  readonly from: number;
  /** The time at which the instance could lead again. */
  readonly until: number;
}

/** The harm done to the instances. */
export interface Harm {
  readonly delays: readonly Delay[];
  readonly falls: readonly Fall[];
}

/** Checks the writes of all instances. Does no I/O. */
export function check(writes: readonly Write[], { delays, falls }: Harm): Violation[] {
  return [
    ...checkAlone(writes, delays),
    ...checkDecided(writes),
    ...checkOnce(writes),
    ...checkBound(writes),
    ...checkFollowed(writes, falls),
  ];
}

/** The number of times that another instance got the lease. */
export function transitionsIn(writes: readonly Write[]): number {
  const taken = takings(writes);
  return taken.filter(({ by }, i) => i > 0 && taken[i - 1]!.by !== by).length;
}

function takings(writes: readonly Write[]): readonly Write[] {
  return writes.filter(({ holder, code }) => holder && code < 300).sort((a, b) => a.answered - b.answered);
}

/**
 * Checks that the failing instance has the lease before its failure, and that another instance has it before the first
 * one works again.
 */
function checkFollowed(writes: readonly Write[], falls: readonly Fall[]): Violation[] {
  const taken = takings(writes);
  return falls.flatMap(({ by, how, from, until }): Violation[] => {
    const before = taken.findLast(({ answered }) => answered <= from);
    const after = taken.find((write) => write.by !== by && write.answered > from && write.answered <= until);
    const when = `${how} at ${new Date(from).toISOString()}`;
    if (before?.by !== by) return [{ law: 'followed', message: `${by} did not lead when it was ${when}` }];
    return after === undefined ? [{ law: 'followed', message: `no instance took the lease from ${by}, ${when}` }] : [];
  });
}

/**
 * The replicas share a clock. If a change arrives after another instance has the lease, it was sent too late. If it
 * arrives earlier and is executed later, it is harmless, because its preconditions name the state for which it was
 * decided.
 */
function checkAlone(writes: readonly Write[], delays: readonly Delay[]): Violation[] {
  const done = writes
    .filter(({ code }) => code < 300)
    .map((write) => ({ write, time: write.holder === undefined ? write.at : write.answered }))
    .sort((a, b) => a.time - b.time);
  const violations: Violation[] = [];
  let leader: Write | undefined;
  for (const { write } of done) {
    if (write.holder !== undefined) {
      if (write.holder !== '' && write.by !== leader?.by) leader = write;
      continue;
    }
    if (leader === undefined || write.by === leader.by) continue;
    // A request that was in transit when the link stopped arrives when the link works again. Its preconditions prevent
    // harm.
    const late = delays.some(({ by, from, until }) => by === write.by && write.at >= from && write.at <= until);
    if (late) continue;
    const since = new Date(leader.answered).toISOString();
    violations.push({
      law: 'alone',
      message: `${describe(write)}, although ${leader.by} had the lease since ${since}`,
    });
  }
  return violations;
}

function checkDecided(writes: readonly Write[]): Violation[] {
  return writes
    .filter(({ verb, bound, holder }) => verb !== 'create' && !bound && holder === undefined)
    .map((write) => ({ law: 'decided', message: describe(write) }));
}

function checkOnce(writes: readonly Write[]): Violation[] {
  const signed = new Map<string, Write>();
  return writes.flatMap((write) => {
    if (write.signs === undefined || write.code >= 300) return [];
    const before = signed.get(write.signs);
    signed.set(write.signs, write);
    return before === undefined
      ? []
      : [{ law: 'once' as const, message: `${describe(write)}, and before: ${describe(before)}` }];
  });
}

/** Checks that schedulers bind each pod once. Replica sets and jobs never use the name of a pod again. */
function checkBound(writes: readonly Write[]): Violation[] {
  const bound = new Map<string, Write>();
  return writes.flatMap((write) => {
    if (!/^pods\/.*\/binding$/.test(write.what) || write.code >= 300) return [];
    const before = bound.get(write.what);
    bound.set(write.what, write);
    return before === undefined
      ? []
      : [{ law: 'bound' as const, message: `${describe(write)}, and before: ${describe(before)}` }];
  });
}

function describe({ by, at, verb, what, code }: Write): string {
  return `${by}: ${verb} ${what} at ${new Date(at).toISOString()} answered ${code}`;
}
