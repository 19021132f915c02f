/**
 * A moment on two clocks, in milliseconds: `wall` may be set back, and `steady` stands still while the machine sleeps.
 */
export interface ClockReading {
  readonly wall: number;
  readonly steady: number;
}

/** The present moment on a wall clock and on the clock of the process. */
export function readClocks(wall: () => number): ClockReading {
  return { wall: wall(), steady: performance.now() };
}

/**
 * Milliseconds from one moment to another, by the clock that shows the longer time. So a fault of one clock does not
 * make old things look young.
 */
export function elapsed(from: ClockReading, to: ClockReading): number {
  return Math.max(to.wall - from.wall, to.steady - from.steady);
}
