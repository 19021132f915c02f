import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A call in a docstring, with its result. */
export interface DocExample {
  /** From the root of the project. */
  readonly file: string;
  /** Of the line that holds `@example`. */
  readonly line: number;
  /** An expression of TypeScript. */
  readonly code: string;
  /** Another one, equal to it. */
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

/** The examples of all sources of folders below `root`, except tests and generated files. */
export function examplesIn(root: string, folders: readonly string[]): DocExample[] {
  return folders
    .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }).sort())
    .filter((file) => !/\/generated\/|\.test\.ts$/.test(file))
    .flatMap((file) => examplesOf(file, readFileSync(path.join(root, file), 'utf8')));
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
