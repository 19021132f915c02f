import type { Steps } from './steps.ts';
import { SLICE_MS } from './time-slice.ts';

const waiting: (() => void)[] = [];
let scheduled = false;

/** The time of the first look at the clock in this turn of the event loop, in the time of `performance.now()`. */
let began: number | undefined;

/**
 * Waits for a turn of the event loop in which no other caller of this function works. So many large answers alternate
 * with each other and with all other work. They do not block it for the sum of their pieces.
 */
export function fairTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    schedule();
  });
}

/**
 * Like {@link fairTurn}, but only if this turn of the event loop has already taken long. Undefined if other requests do
 * not need to run yet.
 */
export function turnIfDue(): Promise<void> | undefined {
  return isTurnLong() ? fairTurn() : undefined;
}

/** Whether this turn of the event loop has already taken long, counted from the first look in it. */
export function isTurnLong(): boolean {
  return turnMs() >= SLICE_MS;
}

/**
 * Runs work of several steps, and pauses between two of them if other requests must run.
 *
 * @throws what the work throws
 */
export async function inFairTurns<T>(steps: Steps<T>): Promise<T> {
  turnMs();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value as T;
    const due = turnIfDue();
    if (due !== undefined) await due;
  }
}

function schedule(): void {
  if (scheduled) return;
  scheduled = true;
  setImmediate(() => {
    scheduled = false;
    turnMs();
    waiting.shift()?.();
    if (waiting.length > 0) schedule();
  });
}

/** The time since the first look at the clock in this turn, in milliseconds. */
function turnMs(): number {
  const now = performance.now();
  if (began === undefined) {
    began = now;
    setImmediate(() => {
      began = undefined;
    });
  }
  return now - began;
}
