import type { Tree } from '@lezer/common';
import type { ManagerOfFields } from '../protocol/object-messages.ts';
import { markOf } from './yaml-path.ts';

/** The number of colours for managers; the style sheet has the same number. */
export const COLOURS = 8;

/** The letter of a manager. Managers have a letter and a colour, so that colour is not the only difference. */
export function letterOf(at: number): string {
  return String.fromCharCode('A'.charCodeAt(0) + (at % 26));
}

/** The managers of the field that begins in a line: indexes in the list of managers, by the index of the line. */
export function managersByLine(
  tree: Tree,
  text: string,
  managers: readonly ManagerOfFields[],
): ReadonlyMap<number, readonly number[]> {
  const starts = lineStarts(text);
  const byLine = new Map<number, number[]>();
  managers.forEach(({ paths }, at) => {
    for (const path of paths) {
      const mark = markOf(tree, text, path);
      if (mark?.isWhole !== true) continue;
      const line = lineOf(starts, mark.from);
      const known = byLine.get(line);
      if (known === undefined) byLine.set(line, [at]);
      else if (!known.includes(at)) known.push(at);
    }
  });
  return byLine;
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}

/** The index of the line that contains a position, counted from 0. */
function lineOf(starts: readonly number[], position: number): number {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= position) low = middle;
    else high = middle;
  }
  return low;
}
