import { CommandError } from '../../framework/errors.ts';
import { type Node, PathSyntaxError, parseTemplate } from './parse.ts';

/**
 * Parses the path of a flag. Braces and the first dot are optional (`x.y`, `.x.y`, `{.x.y}`, `{x.y}`).
 * @throws CommandError if the path is malformed
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

/**
 * The path as a text in braces. Only its shape is checked, and '' remains ''.
 * @throws CommandError if the shape is wrong
 */
export function pathText(text: string): string {
  if (text === '') return '';
  const match = /^\{\.?([^{}]+)\}$|^\.?([^{}]+)$/.exec(text);
  if (match === null)
    throw new CommandError(
      `unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'`,
    );
  return `{.${match[1] ?? match[2]}}`;
}
