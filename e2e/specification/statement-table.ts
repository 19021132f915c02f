import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Matches files of tests, and files with tables of conversations that become tests. */
const HOLDS_TESTS = /\.(test|e2e)\.ts$|^e2e\/specification\/conversations\//;

/** A test that checks a statement. */
export interface Holder {
  /** The path from the root of the project. */
  readonly file: string;
  /** The text of a `describe` or `it`, or of the table row that makes one, as written in the file. */
  readonly title: string;
}

/** One statement of the specification. */
export interface Statement {
  /**
   * The chapter, the section and the position, such as `4.5.12`. Section 0 is the text before the first section of a
   * chapter.
   */
  readonly id: string;
  /** A short paraphrase. */
  readonly says: string;
  readonly holders: readonly Holder[];
  /** The reason why a test cannot check it, if no test does. */
  readonly reason: string | undefined;
}

/** A part of a chapter under a separate heading. */
export interface Section {
  /** The chapter and the section, such as `4.5`. */
  readonly id: string;
  readonly heading: string;
  readonly statements: readonly Statement[];
}

/**
 * Reads the table of one chapter. Its form:
 * ```
 * # 4.5 Resource versions
 *
 * 4.5.1 a resource version is opaque
 *   server/verbs/list.test.ts > lists by version
 * 4.5.2 clients compare it for equality only
 *   - the duty of a client
 * ```
 * @throws Error about the line that does not fit it
 */
export function readStatements(text: string): Section[] {
  const sections: { id: string; heading: string; statements: Statement[] }[] = [];
  let last: { id: string; says: string; holders: Holder[]; reason: string | undefined } | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const [, section, heading] = /^# (\d+\.\d+) (\S.*)$/.exec(line) ?? [];
    const [, id, says] = /^(\d+\.\d+\.\d+) (\S.*)$/.exec(line) ?? [];
    const [, reason] = /^ {2}- (\S.*)$/.exec(line) ?? [];
    const [, file, title] = /^ {2}(\S+) > (.+)$/.exec(line) ?? [];
    if (section !== undefined) {
      sections.push({ id: section, heading: heading!, statements: [] });
      last = undefined;
    } else if (id !== undefined && sections.length > 0) {
      last = { id, says: says!, holders: [], reason: undefined };
      sections.at(-1)!.statements.push(last);
    } else if (reason !== undefined && last !== undefined && last.reason === undefined) last.reason = reason;
    else if (file !== undefined && last !== undefined) last.holders.push({ file, title: title! });
    else if (line !== '') throw new Error(`line ${index + 1}: ${line}`);
  }
  return sections;
}

/** The tables of all chapters, in order. */
export function allSections(folder = path.join(import.meta.dirname, 'statements')): Section[] {
  return readdirSync(folder)
    .sort()
    .flatMap((name) => {
      try {
        return readStatements(readFileSync(path.join(folder, name), 'utf8'));
      } catch (error) {
        throw new Error(`${name}, ${error instanceof Error ? error.message : error}`);
      }
    });
}

/**
 * The mistakes in the tables. Statements may be out of order or doubled. They may have neither a test nor a reason, or
 * both. Their tests may not exist.
 * @param root the folder to which the names of test files are relative
 */
export function mistakesIn(sections: readonly Section[], root: string): string[] {
  const mistakes: string[] = [];
  const texts = new Map<string, string | undefined>();
  const textOf = (file: string) => {
    if (!texts.has(file))
      texts.set(file, existsSync(path.join(root, file)) ? readFileSync(path.join(root, file), 'utf8') : undefined);
    return texts.get(file);
  };
  const said = new Set<string>();
  for (const { id: section, statements } of sections) {
    if (said.has(section)) mistakes.push(`${section} is there twice`);
    said.add(section);
    for (const [index, { id, says, holders, reason }] of statements.entries()) {
      if (id !== `${section}.${index + 1}`) mistakes.push(`${id} should be ${section}.${index + 1}`);
      if (said.has(`${section} ${says}`)) mistakes.push(`${id} says what another one says`);
      said.add(`${section} ${says}`);
      if (holders.length === 0 && reason === undefined) mistakes.push(`${id} has neither a test nor a reason`);
      if (holders.length > 0 && reason !== undefined) mistakes.push(`${id} has both a test and a reason`);
      for (const { file, title } of holders) {
        const text = textOf(file);
        if (!HOLDS_TESTS.test(file) || text === undefined) mistakes.push(`${id}: ${file} is no file of tests`);
        else if (!isQuoted(text, title)) mistakes.push(`${id}: ${file} has no test ${title}`);
      }
    }
  }
  return mistakes;
}

/** Whether a file contains a text as a whole literal. */
function isQuoted(text: string, title: string): boolean {
  return ["'", '"', '`'].some((quote) => text.includes(`${quote}${title.replaceAll(quote, `\\${quote}`)}${quote}`));
}
