/** The error about an invalid expression. The message shows the place, in the form of messages of compilers. */
export class CheckError extends Error {}

/** A problem at a place in a rule: `ERROR: <input>:1:14: undefined field 'x'` and the line with a mark under it. */
export function checkError(rule: string, at: number, problem: string): CheckError {
  const before = rule.slice(0, at).split('\n');
  const column = before.at(-1)!.length + 1;
  const line = rule.split('\n')[before.length - 1] ?? '';
  const mark = `${'.'.repeat(column - 1)}^`;
  return new CheckError(`ERROR: <input>:${before.length}:${column}: ${problem}\n | ${line}\n | ${mark}`);
}
