import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A call in a docstring, with its result. */
export interface DocExample {
  /** The path of the file from the root of the project. */
  readonly file: string;
  /** The number of the line that contains `@example`. */
  readonly line: number;
  /** The call: an expression of TypeScript. */
  readonly code: string;
  /** The result: an expression with an equal value. */
  readonly result: string;
}

/** The names that examples may use besides the exports of their own file, each with its module. */
const SHARED: Readonly<Record<string, string>> = {
  DEDUCED: '#schema/apply/apply-type.ts',
  FieldPath: '#base/errors/field-error.ts',
  FieldSet: '#schema/apply/field-set.ts',
  JsonNumber: '#base/json/json-value.ts',
  createNaming: '#base/naming/create-naming.ts',
  loadSchema: '#schema/descriptors/load.ts',
  releaseOf: '#base/release/release.ts',
  resourceNames: '#schema/validation/resource-names.ts',
};

/** The examples of a source that show a result: `@example CALL // => RESULT`, on one line or several. */
export function examplesOf(file: string, source: string): DocExample[] {
  const found: DocExample[] = [];
  for (const match of source.matchAll(/@example\b((?:(?!\*\/|\n\s*\*\s*(?:@|\n))[\s\S])*)/g)) {
    const text = match[1]!.replaceAll(/\n\s*\* ?/g, '\n');
    const [code = '', ...results] = text.split(/\/\/ =>/);
    if (results.length === 0) continue;
    const result = results
      .join('')
      .replaceAll(/\n\/\/ ?/g, '\n')
      .trim();
    found.push({
      file,
      line: source.slice(0, match.index).split('\n').length,
      code: code.trim().replace(/;$/, ''),
      result,
    });
  }
  return found;
}

/** The sources of folders below `root`, except tests and generated files. */
export function documentedSources(root: string, folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }).sort())
    .filter((file) => !/\/generated\/|\.test\.ts$/.test(file));
}

/** The examples of all sources of folders below `root`, except tests and generated files. */
export function examplesIn(root: string, folders: readonly string[]): DocExample[] {
  return documentedSources(root, folders).flatMap((file) =>
    examplesOf(file, readFileSync(path.join(root, file), 'utf8')),
  );
}

/** The start of an exported function, up to the bracket before its arguments. */
const FUNCTION = /^export (?:async )?function\*? ?(\w+)(?:<.*>)?\(/gm;

/**
 * The exported functions of a source that have more than two arguments, and no `@example` in their docstring.
 *
 * @example functionsWithoutExample('export function one(a: A, b: B, c: C): D {}') // ['one']
 */
export function functionsWithoutExample(source: string): string[] {
  return [...source.matchAll(FUNCTION)].flatMap((match) => {
    if (argumentsAfter(source, match.index + match[0].length) < 3) return [];
    const before = source.slice(0, match.index).trimEnd();
    const doc = before.endsWith('*/') ? before.slice(before.lastIndexOf('/**')) : '';
    return doc.includes('@example') ? [] : [match[1]!];
  });
}

/** The number of arguments in a text that begins after the opening bracket. A destructured argument is one. */
function argumentsAfter(source: string, begin: number): number {
  let [depth, commas, isEmpty, endsWithComma] = [0, 0, true, false];
  for (let at = begin; at < source.length; at++) {
    const character = source[at]!;
    if (depth === 0 && character === ')') break;
    if ('([{<'.includes(character)) depth++;
    else if (')]}'.includes(character) || (character === '>' && source[at - 1] !== '=')) depth--;
    if (/\s/.test(character)) continue;
    isEmpty = false;
    endsWithComma = depth === 0 && character === ',';
    if (endsWithComma) commas++;
  }
  return isEmpty ? 0 : commas + (endsWithComma ? 0 : 1);
}

/**
 * A module that checks the examples of one file: its function `check` gives the call and the result of the i-th one.
 * `exported` are the names that the file exports as values.
 */
export function moduleOf(examples: readonly DocExample[], exported: readonly string[]): string {
  const text = examples.map(({ code, result }) => `${code} ${result}`).join(' ');
  const used = (name: string) => new RegExp(`(?<![\\w.'])${name}\\b`).test(text);
  const own = exported.filter(used);
  const lines = [`import { ${own.join(', ')} } from '#${examples[0]!.file}';`];
  for (const [name, from] of Object.entries(SHARED)) {
    if (used(name) && !own.includes(name)) lines.push(`import { ${name} } from '${from}';`);
  }
  lines.push('export const checks: readonly (() => readonly [unknown, unknown])[] = [');
  for (const { code, result } of examples) lines.push(`  () => [${code}, ${result}],`);
  return `${lines.join('\n')}\n];\n`;
}
