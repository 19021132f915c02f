/** The size of a plot in its own units. */
export const [WIDTH, HEIGHT] = [600, 120];

/** The pieces of a line. Each piece ends at a time at which nothing was read. */
export function pathsOf(times: readonly number[], values: readonly (number | null)[], most: number): readonly string[] {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const pieces: string[][] = [[]];
  for (const [at, value] of values.entries()) {
    if (value === null) {
      pieces.push([]);
      continue;
    }
    const x = last === first ? WIDTH : ((times[at]! - first) / (last - first)) * WIDTH;
    const y = HEIGHT - 2 - (most === 0 ? 0 : value / most) * (HEIGHT - 4);
    pieces.at(-1)!.push(`${x.toFixed(1)},${y.toFixed(1)}`);
  }
  // A single reading becomes a short stroke, because a line of one point is not visible.
  return pieces
    .filter((piece) => piece.length > 0)
    .map((piece) => (piece.length === 1 ? strokeAt(piece[0]!) : piece.join(' ')));
}

function strokeAt(point: string): string {
  const [x = 0, y = 0] = point.split(',').map(Number);
  return `${Math.max(0, x - 4)},${y} ${x},${y}`;
}
