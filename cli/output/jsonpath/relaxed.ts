import { CommandError } from '../../framework/errors.ts';
import { type Node, PathSyntaxError, parseTemplate } from './parse.ts';

/**
 * A path as flags take it, with or without braces and the first dot: `x.y`, `.x.y`, `{.x.y}`, `{x.y}`.
 * @throws CommandError
 */
export function relaxedPath(text: string): Node[] {
  const path = pathText(text);
  try {
    return parseTemplate(path);
  } catch (error) {
    if (error instanceof PathSyntaxError) throw new CommandError(error.message);
    throw error;
  }
}

/** The path as a text, in braces; only its shape is checked. '' stays ''. @throws CommandError */
export function pathText(text: string): string {
  if (text === '') return '';
  const match = /^\{\.?([^{}]+)\}$|^\.?([^{}]+)$/.exec(text);
  if (match === null)
    throw new CommandError(
      `unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'`,
    );
  return `{.${match[1] ?? match[2]}}`;
}
