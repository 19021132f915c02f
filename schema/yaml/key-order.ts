const LETTER = /\p{L}/u;

/**
 * The order of keys in YAML, as in common tools. Keys are compared character by character. Letters come after all other
 * characters, and runs of digits are compared as numbers (`a2` before `a10`).
 */
export function compareKeys(a: string, b: string): number {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  const left = a[i];
  const right = b[i];
  if (left === undefined || right === undefined) return a.length - b.length;
  const leftLetter = LETTER.test(left);
  const rightLetter = LETTER.test(right);
  if (leftLetter !== rightLetter) return leftLetter ? 1 : -1;
  if (!leftLetter) {
    const start = digitsBefore(a, i);
    const leftRun = run(a, start);
    const rightRun = run(b, start);
    if (leftRun !== '' && rightRun !== '' && leftRun !== rightRun) {
      // Numbers without leading zeros are compared by length first. The longer one is larger.
      return leftRun.length - rightRun.length || (leftRun < rightRun ? -1 : 1);
    }
  }
  return left < right ? -1 : 1;
}

/** The position at which the run of digits that contains `at` starts. */
function digitsBefore(text: string, at: number): number {
  let start = at;
  while (start > 0 && isDigit(text[start - 1])) start--;
  return start;
}

/** The digits from `start` on, without leading zeros. */
function run(text: string, start: number): string {
  let end = start;
  while (isDigit(text[end])) end++;
  return text.slice(start, end).replace(/^0+(?=.)/, '');
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}
