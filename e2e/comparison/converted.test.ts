import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runLine } from '#cli/testing/run-line.ts';
import { wordsOf } from './compare.ts';

const FOLDER = path.join(import.meta.dirname, 'converted');

/**
 * The answers of the field's plug-in for conversion, which is not installed everywhere. Each entry has a command line
 * and its output. Its standard input is `hpa-v1.yaml`. A `%` alone means that the output before it does not end with a
 * line feed.
 */
function answers(): { line: string; printed: string }[] {
  const text = readFileSync(path.join(FOLDER, 'answers.txt'), 'utf8');
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n');
      return { line: part.slice(0, end), printed: part.slice(end + 1).replace(/\n%\n$/, '') };
    });
}

describe('orchctl convert', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'orchctl-'));
    cpSync(FOLDER, folder, { recursive: true });
  });
  after(() => rmSync(folder, { recursive: true }));

  for (const { line, printed } of answers())
    it(`prints the same as the upstream plug-in for ${line}`, async () => {
      // The test reads files in their folder. Messages contain the paths without that folder.
      const inFolder = (words: readonly string[]) =>
        words.map((word, i) => (/^(-f|-k)$/.test(words[i - 1] ?? '') && word !== '-' ? path.join(folder, word) : word));
      const input = readFileSync(path.join(FOLDER, 'hpa-v1.yaml'), 'utf8');
      const { stdout, stderr, code } = await runLine(inFolder(wordsOf(line)), { input });
      // The plug-in is of an earlier release, which does not have this format.
      const complaints = stderr.replaceAll(`${folder}/`, '').replace(/\bkyaml,/, '');
      assert.equal(`${stdout}${complaints}`, printed);
      assert.equal(code, /^(error|Error|The )/m.test(printed) ? 1 : 0);
    });
});
