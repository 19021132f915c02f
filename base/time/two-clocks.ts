/**
 * A moment on two clocks, in milliseconds: `wall` may be set back, and `steady` stands still while the machine sleeps.
 */
export interface ClockReading {
  readonly wall: number;
  readonly steady: number;
}

/** The present, by a wall clock and the process's own. */
export function readClocks(wall: () => number): ClockReading {
  return { wall: wall(), steady: performance.now() };
}

/** Milliseconds from one moment to another by the clock that saw more pass: no clock's fault makes old things young. */
export function elapsed(from: ClockReading, to: ClockReading): number {
  return Math.max(to.wall - from.wall, to.steady - from.steady);
}
