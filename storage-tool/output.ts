/** The outputs of a command. */
export interface Out {
  readonly json: boolean;
  /** Prints the result, once. */
  result(value: unknown, text: string): void;
  /**
   * Reports the progress of the work. On a terminal it is drawn, and otherwise there is a line from time to time.
   * `total` is given if it is known.
   */
  progress(what: string, done: number, total?: number): void;
}

/** How often progress is drawn on a terminal, in milliseconds. */
const DRAW_MS = 100;

/** The interval of progress lines without a terminal, in milliseconds. */
const LINE_MS = 5_000;

export function outputTo(
  out: { write(text: string): unknown },
  err: { write(text: string): unknown; readonly isTTY?: boolean },
  json: boolean,
): Out {
  let drawn = err.isTTY === true ? 0 : performance.now();
  let shows = false;
  return {
    json,
    result(value, text) {
      if (shows) err.write('\r\u001b[K');
      out.write(json ? `${JSON.stringify(value, null, 2)}\n` : text);
    },
    progress(what, done, total) {
      if (performance.now() - drawn < (err.isTTY === true ? DRAW_MS : LINE_MS)) return;
      drawn = performance.now();
      if (err.isTTY !== true) {
        err.write(`${done}${total === undefined ? '' : ` of ${total}`} ${what}\n`);
        return;
      }
      shows = true;
      const bar = total === undefined || total === 0 ? '' : `[${'#'.repeat((20 * done) / total).padEnd(20)}] `;
      err.write(`\r\u001b[K${bar}${done}${total === undefined ? '' : ` of ${total}`} ${what}`);
    },
  };
}

/** Rows under a head. Each column is as wide as its longest cell. */
export function tableText(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const all = [head, ...rows.map((row) => row.map(String))];
  const widths = head.map((_, i) => Math.max(...all.map((row) => row[i]!.length)));
  return all
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(widths[i]!))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
