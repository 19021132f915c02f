import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const module = import.meta.resolve('./load-compiled.ts');

describe('the compiled code cache', function () {
  this.timeout(60_000);
  let root: string;
  let folder: string;

  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'load-compiled-'));
    folder = path.join(root, 'home/code');
    const functions = Array.from({ length: 2000 }, (_, n) => `function f${n}() { return ${n} + 1; }`).join('\n');
    const all = Array.from({ length: 2000 }, (_, n) => `f${n}()`).join(' + ');
    writeFileSync(
      path.join(root, 'program.cjs'),
      `(function (exports, require, module, __filename, __dirname) {${functions}
exports.start = (more) => console.log(require('node:path').basename(__filename), more ? ${all} : f0());
})`,
    );
  });
  afterEach(() => rmSync(root, { recursive: true }));

  /** The output of a call. */
  function call(name: string, { build = 'a', more = false } = {}): string {
    const program = `
      const { loadCompiled } = await import('${module}');
      const cache = { folder: ${JSON.stringify(folder)}, build: '${build}', name: ${JSON.stringify(name)}, keeps: (_, name) => name === 'get' };
      loadCompiled(${JSON.stringify(path.join(root, 'program.cjs'))}, cache).start(${more});
    `;
    return execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  }

  const place = () => path.join(folder, readdirSync(folder)[0]!, 'get');
  /** The inode of the file. It changes when the file is written again. */
  const file = () => statSync(place()).ino;

  it('is stored with private permissions and used by the next call of the same command', () => {
    assert.equal(call('get'), 'program.cjs 1\n');
    assert.equal(statSync(place()).mode & 0o777, 0o600);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
    const before = file();
    assert.equal(call('get'), 'program.cjs 1\n');
    assert.equal(file(), before);
    for (const name of ['', 'other', '../get', '.']) assert.equal(call(name), 'program.cjs 1\n');
    assert.deepEqual(readdirSync(path.dirname(place())), ['get']);
  });

  it('is rewritten after a call that needed much more code', () => {
    call('get');
    const [before, size] = [file(), statSync(place()).size];
    assert.equal(call('get', { more: true }), 'program.cjs 2001000\n');
    assert.notEqual(file(), before);
    assert.ok(statSync(place()).size > size);
  });

  const untrusted: readonly (readonly [what: string, change: () => void])[] = [
    ['is truncated', () => truncateSync(place(), statSync(place()).size - 100)],
    ['is empty', () => truncateSync(place(), 0)],
    ['was written by another engine', () => writeFileSync(place(), readFileSync(place()).fill(0, 16, 48))],
    ['can be written by other users', () => chmodSync(place(), 0o666)],
  ];
  for (const [what, change] of untrusted)
    it(`is not used if it ${what}`, () => {
      call('get');
      change();
      const before = file();
      assert.equal(call('get'), 'program.cjs 1\n');
      assert.notEqual(file(), before);
    });

  it('is kept only for the latest builds', () => {
    for (const [at, build] of ['a', 'b', 'c', 'd'].entries()) {
      call('get', { build });
      for (const name of readdirSync(folder))
        if (name.startsWith(build)) utimesSync(path.join(folder, name), at + 1, at + 1);
    }
    call('get', { build: 'e' });
    assert.deepEqual(
      readdirSync(folder).map((name) => name[0]),
      ['c', 'd', 'e'],
    );
  });

  it('is not needed: the program also runs without it', () => {
    writeFileSync(path.join(root, 'home'), '');
    assert.equal(call('get'), 'program.cjs 1\n');
  });
});
