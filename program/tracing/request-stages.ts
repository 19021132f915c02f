import { AsyncLocalStorage } from 'node:async_hooks';
import { blockedMs } from './blocked-loop.ts';
import type { TracedCall, TraceSpan } from './trace-span.ts';

/** The stages of a request whose time is measured. */
export const stages = [
  'waiting',
  'authentication',
  'audit',
  'impersonation',
  'authorization',
  'reading',
  'admission',
  'webhook',
  'etcd',
  'conversion',
  'upstream',
  'encoding',
  'writing',
] as const;

/** A part of a request's processing. Stages may be nested. For example, admission includes calls of webhooks. */
export type Stage = (typeof stages)[number];

/** One action in a stage, with the name of its actor. */
export interface Step {
  readonly stage: Stage;
  readonly name: string;
  readonly milliseconds: number;
}

/** A step that has begun. */
export interface BegunStep {
  /** The trace header for other programs that the step calls; undefined if no trace records the request. */
  readonly traceparent: string | undefined;
  /** `at` is the current time, if the caller has just read the clock. */
  end(at?: number): void;
}

const INDEX = Object.fromEntries(stages.map((stage, i) => [stage, i])) as Readonly<Record<Stage, number>>;

/** The index of the first total. The times of entering precede the totals. */
const TOTAL = stages.length;

/** A step of a recorded request. */
function spanOf(of: TraceSpan, step: string, at: number, call: TracedCall | undefined): TraceSpan {
  if (call === undefined) return of.child(step, at);
  return of.call({ name: call.name, attributes: { ...call.attributes, step } }, at);
}

/** The initial values. A list of fractions and a list of integers can be copied faster than typed arrays. */
const NONE: number[] = [...stages, ...stages].map(() => -0);
const CLOSED: number[] = stages.map(() => 0);

/** The shortest duration of a step that explains a slow request, in milliseconds. */
const LEAST_STEP = 1;

/** The steps of these stages are separate parts of a trace. */
const NAMED: ReadonlySet<Stage> = new Set(['webhook', 'etcd', 'conversion', 'upstream']);

/** The largest number of kept steps. A request may read a thousand pages. */
const MOST_STEPS = 50;

/**
 * The durations of the stages of one request, in milliseconds of `performance.now()`. Actions at the same time in one
 * stage count once. They cost a request a few readings of the clock. They keep only numbers and the names of long
 * steps.
 */
export class RequestStages {
  readonly started = performance.now();
  readonly #blocked = blockedMs(this.started);
  /** First the time when each stage was entered, then how long each stage took before. */
  #times = NONE.slice();
  #open = CLOSED.slice();
  #steps: Step[] | undefined;
  #over = false;
  /**
   * The time when a stage last ended. If the next stage starts at once, it uses this time and does not read the clock
   * again.
   */
  last = this.started;
  /** The request in a trace that is recorded. */
  span: TraceSpan | undefined;
  #inner: TraceSpan | undefined;
  /** The durations of webhooks by phase, in milliseconds; the server calls validating webhooks at the same time. */
  webhooks: { admit: number; validate: number } | undefined;

  enter(stage: Stage, at = performance.now()): void {
    if (this.#over) return;
    const i = INDEX[stage];
    if (this.#open[i]!++ === 0) this.#times[i] = at;
  }

  /** Does nothing if the stage has already ended. */
  leave(stage: Stage, now?: number): void {
    const i = INDEX[stage];
    if (this.#open[i] === 0) return;
    const at = now ?? performance.now();
    this.last = at;
    if (--this.#open[i]! > 0) return;
    const since = this.#times[i]!;
    this.#times[TOTAL + i]! += at - since;
    if (this.span !== undefined && !this.#over && !NAMED.has(stage)) this.span.child(stage, since).end(at);
  }

  /** Adds a period that has already passed. */
  add(stage: Stage, milliseconds: number): void {
    if (this.#over) return;
    this.#times[TOTAL + INDEX[stage]]! += milliseconds;
  }

  /** Starts a step with its name in a stage. With `call`, traces show it as a call of another program. */
  begin(stage: Stage, name: string, from = performance.now(), call?: TracedCall): BegunStep {
    this.enter(stage, from);
    const span = this.#over || this.span === undefined ? undefined : spanOf(this.span, `${stage} ${name}`, from, call);
    const outer = this.#inner;
    if (span !== undefined) this.#inner = span;
    let begun = true;
    return {
      traceparent: span?.traceparent,
      end: (now = performance.now()) => {
        if (!begun) return;
        begun = false;
        this.leave(stage, now);
        this.note(stage, name, now - from);
        if (span === undefined) return;
        span.end(now);
        if (this.#inner === span) this.#inner = outer;
      },
    };
  }

  /** Keeps a step that took a long time. */
  note(stage: Stage, name: string, milliseconds: number): void {
    if (milliseconds < LEAST_STEP || this.#over) return;
    this.#steps ??= [];
    if (this.#steps.length < MOST_STEPS) this.#steps.push({ stage, name, milliseconds });
  }

  /**
   * Records a call of a webhook. In the mutating phase there is one call at a time. In the validating phase the calls
   * run at the same time.
   */
  askedWebhook(phase: 'admit' | 'validate', milliseconds: number): void {
    this.webhooks ??= { admit: 0, validate: 0 };
    if (phase === 'admit') this.webhooks.admit += milliseconds;
    else this.webhooks.validate = Math.max(this.webhooks.validate, milliseconds);
  }

  /** The request has ended. Stages that are still open end now. */
  finish(at = performance.now()): void {
    for (let i = 0; i < stages.length; i++) {
      if (this.#open[i] === 0) continue;
      this.#open[i] = 1;
      this.leave(stages[i]!, at);
    }
    this.#over = true;
  }

  /**
   * The answer has begun and will last long. Its further duration depends on the client, so only the time of its start
   * is kept.
   */
  rest(): void {
    this.finish();
    [this.#times, this.#open] = [NONE, CLOSED];
    this.#steps = undefined;
  }

  /** The header for another program that the server calls now; undefined if no trace records the request. */
  get traceparent(): string | undefined {
    return this.#over ? undefined : (this.#inner ?? this.span)?.traceparent;
  }

  /** Whether the request has entered a stage. */
  entered(stage: Stage): boolean {
    const i = INDEX[stage];
    return this.#open[i]! > 0 || this.#times[TOTAL + i]! > 0;
  }

  of(stage: Stage): number {
    return this.#times[TOTAL + INDEX[stage]]!;
  }

  /** {@link of} the stage at a place of the list {@link stages}. */
  at(place: number): number {
    return this.#times[TOTAL + place]!;
  }

  /** A time in which this process did only one thing, too long for other requests. */
  get blocked(): number {
    return blockedMs() - this.#blocked;
  }

  /** The steps, the longest first. */
  get steps(): readonly Step[] {
    return [...(this.#steps ?? [])].sort((a, b) => b.milliseconds - a.milliseconds);
  }
}

const current = new AsyncLocalStorage<RequestStages>();

/**
 * Attributes the current turn of the event loop, and everything that follows from it, to a request: see
 * {@link currentStages}. To restore the previous value would cost as much again. So unrelated work later in the same
 * turn is also attributed to this request. By then the request has been answered or has ended, so this work is counted
 * for no request.
 */
export function nowOnBehalfOf(of: RequestStages): void {
  current.enterWith(of);
}

/** The stages of the request for which the current code works; undefined for work that does not belong to a request. */
export function currentStages(): RequestStages | undefined {
  return current.getStore();
}

/**
 * Counts work as a step of the request to which the work belongs. `ask` gets the `traceparent` header of the step, or
 * undefined without a trace.
 */
export async function asStep<T>(
  stage: Stage,
  name: string,
  ask: (traceparent: string | undefined) => Promise<T>,
  call?: TracedCall,
): Promise<T> {
  const step = currentStages()?.begin(stage, name, undefined, call);
  if (step === undefined) return ask(undefined);
  try {
    return await ask(step.traceparent);
  } finally {
    step.end();
  }
}
