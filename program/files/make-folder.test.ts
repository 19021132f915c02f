import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeFolder } from './make-folder.ts';

describe('makeFolder', () => {
  let base: string;
  beforeEach(() => {
    base = mkdtempSync(path.join(tmpdir(), 'folders-'));
    writeFileSync(path.join(base, 'file'), '');
    mkdirSync(path.join(base, 'there'));
    symlinkSync('nowhere', path.join(base, 'loose'));
    symlinkSync('there', path.join(base, 'link'));
  });
  afterEach(() => rmSync(base, { recursive: true }));

  const cases: readonly [what: string, folder: string, problem: RegExp | undefined][] = [
    ['a folder', 'new', undefined],
    ['folders above it', 'a/b/c', undefined],
    ['nothing if it is there', 'there', undefined],
    ['nothing above it if that is there', 'there/below', undefined],
    ['a folder behind a link', 'link/below', undefined],
    ['no folder in place of a file', 'file', /EEXIST/],
    ['no folder in a file', 'file/below', /EEXIST.*file'/],
    ['no folder in place of a link to nothing', 'loose', /EEXIST/],
    ['no folder with a name that is too long', 'x'.repeat(300), /ENAMETOOLONG/],
    ['no folder with a path that is too long', 'x/'.repeat(3000), /ENAMETOOLONG/],
    ['no folder where none can be', '/proc/none', /ENOENT|EACCES/],
    ['no folders where none can be', '/proc/none/below', /ENOENT|EACCES/],
  ];
  for (const [what, folder, problem] of cases)
    it(`makes ${what}`, () => {
      const place = path.resolve(base, folder);
      if (problem !== undefined) assert.throws(() => makeFolder(place), problem);
      else {
        makeFolder(place, 0o700);
        assert.ok(statSync(place).isDirectory());
      }
    });

  it('gives the folders that it makes their rights', () => {
    makeFolder(path.join(base, 'a/b'), 0o700);
    for (const each of ['a', 'a/b']) assert.equal(statSync(path.join(base, each)).mode & 0o777, 0o700);
  });
});
