import { readFileSync } from 'node:fs';

/** One step of a page: a change of a file, or a command to run. */
export type Step =
  | { readonly do: 'create'; readonly file: string; readonly text: string }
  | { readonly do: 'append'; readonly file: string; readonly text: string }
  | { readonly do: 'insert-below'; readonly file: string; readonly at: string; readonly text: string }
  | { readonly do: 'insert-above'; readonly file: string; readonly at: string; readonly text: string }
  | { readonly do: 'replace'; readonly file: string; readonly at: string; readonly text: string }
  | { readonly do: 'run'; readonly command: string };

/** The forms of paragraphs with the instruction for the next fence. */
const INSTRUCTIONS: readonly [form: RegExp, make: (file: string, at: string, text: string) => Step][] = [
  [/\ba new file `([^`]+)`:$/i, (file, _, text) => ({ do: 'create', file, text })],
  [/\bat the end of `([^`]+)`:$/i, (file, _, text) => ({ do: 'append', file, text })],
  [/\bin `([^`]+)`, below `([^`]+)`:$/i, (file, at, text) => ({ do: 'insert-below', file, at, text })],
  [/\bin `([^`]+)`, above `([^`]+)`:$/i, (file, at, text) => ({ do: 'insert-above', file, at, text })],
  [/\bin `([^`]+)`, instead of `([^`]+)`:$/i, (file, at, text) => ({ do: 'replace', file, at, text })],
];

const COMMAND = /`((?:mocha|npm run|node) [^`]+)`/g;

/**
 * The steps of a how-to page, in their order. The indentation of fences in lists is removed.
 * @throws Error if a fence does not have an instruction before it
 */
export function readSteps(page: string): readonly Step[] {
  const steps: Step[] = [];
  const parts = readFileSync(page, 'utf8').split(/^( *)```\w+\n([\s\S]*?)^\1```$/m);
  for (let n = 0; n < parts.length; n += 3) {
    const words = parts[n]!;
    for (const [, command = ''] of words.matchAll(COMMAND)) steps.push({ do: 'run', command });
    const [indent, fence] = [parts[n + 1], parts[n + 2]];
    if (indent !== undefined && fence !== undefined)
      steps.push(instructed(words, fence.replaceAll(new RegExp(`^${indent}`, 'gm'), ''), page));
  }
  return steps;
}

function instructed(words: string, text: string, page: string): Step {
  const last = words
    .trimEnd()
    .split(/\n\s*\n/)
    .at(-1)!
    .split(/\s*\n\s*/)
    .join(' ');
  for (const [form, make] of INSTRUCTIONS) {
    const found = form.exec(last);
    if (found !== null) return make(found[1]!, found[2] ?? '', text);
  }
  throw new Error(`${page}: nothing says what becomes of the fence after "${last}"`);
}
