type Interval = readonly [first: number, last: number];

const DIGITS = /^[+-]?\d+$/;

/** One part of a list of indexes, `2` or `4-7`, or its error. */
function parseInterval(part: string, completions: number): Interval | string {
  const limits = part.split('-');
  if (limits.length > 2)
    return `the fragment ${JSON.stringify(part)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  for (const limit of limits)
    if (!DIGITS.test(limit)) return `cannot convert string to integer for index: ${JSON.stringify(limit)}`;
  const [first, last] = [Number(limits[0]), Number(limits.at(-1))];
  if (first >= completions) return `too large index: ${JSON.stringify(limits[0])}`;
  if (limits.length === 1) return [first, first];
  if (last >= completions) return `too large index: ${JSON.stringify(limits[1])}`;
  if (first >= last) return `non-increasing order, previous: ${first}, current: ${last}`;
  return [first, last];
}

/**
 * The error about a list of a job's pod indexes; undefined if it is valid. The intervals must be in ascending order.
 * @example indexesProblem('0,2-3', 4) // => undefined
 * @example indexesProblem('2,1', 4) // => 'non-increasing order, previous: 2, current: 1'
 */
export function indexesProblem(text: string, completions: number): string | undefined {
  if (text === '') return undefined;
  let before: number | undefined;
  for (const part of text.split(',')) {
    const interval = parseInterval(part, completions);
    if (typeof interval === 'string') return interval;
    const [first, last] = interval;
    if (before !== undefined && before >= first) return `non-increasing order, previous: ${before}, current: ${first}`;
    before = last;
  }
  return undefined;
}

/**
 * The number of indexes in a list; 0 for a malformed list.
 * @example indexCount('0,2-3', 4) // => 3
 */
export function indexCount(text: string, completions: number): number {
  if (indexesProblem(text, completions) !== undefined) return 0;
  return intervalsOf(text, completions).reduce((count, [first, last]) => count + last - first + 1, 0);
}

function intervalsOf(text: string, completions: number): Interval[] {
  const parts = text === '' ? [] : text.split(',').map((part) => parseInterval(part, completions));
  return parts.filter((interval): interval is Interval => typeof interval !== 'string');
}

/** Finds the overlap of two lists of indexes. Malformed parts are left out. It reads both once, in ascending order. */
export function overlapProblem(completed: string, failed: string, completions: number): string | undefined {
  const [ours, theirs] = [intervalsOf(completed, completions), intervalsOf(failed, completions)];
  for (let i = 0, k = 0; i < ours.length && k < theirs.length; ) {
    const [first, last] = ours[i]!;
    const [from, to] = theirs[k]!;
    if (first <= to && from <= last)
      return `failedIndexes and completedIndexes overlap at index: ${Math.max(first, from)}`;
    if (first <= from) i++;
    else k++;
  }
  return undefined;
}
