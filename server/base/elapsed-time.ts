/**
 * A moment by two clocks, in milliseconds: `wall` may be set back, `steady` stands still while the machine sleeps.
 */
export interface Moment {
  readonly wall: number;
  readonly steady: number;
}

/** The present, by a wall clock and the process's own. */
export function momentNow(wall: () => number): Moment {
  return { wall: wall(), steady: performance.now() };
}

/** Milliseconds from one moment to another by the clock that saw more pass: no clock's fault makes old things young. */
export function elapsed(from: Moment, to: Moment): number {
  return Math.max(to.wall - from.wall, to.steady - from.steady);
}
