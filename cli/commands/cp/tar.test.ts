import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readTar } from './read-tar.ts';
import { unpack } from './unpack.ts';
import { writeTar } from './write-tar.ts';

describe('archives of cp', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cp-'));
  const source = path.join(folder, 'source');
  const long = `${'folder'.repeat(10)}/${'long'.repeat(20)}.txt`;
  before(() => {
    mkdirSync(path.join(source, 'sub', 'empty'), { recursive: true });
    mkdirSync(path.dirname(path.join(source, long)));
    writeFileSync(path.join(source, 'a'), 'A');
    writeFileSync(path.join(source, long), 'L'.repeat(1000));
    writeFileSync(path.join(source, 'sub', 'blocks'), Buffer.alloc(1024, 'x'));
    symlinkSync('a', path.join(source, 'link'));
  });
  after(() => rmSync(folder, { recursive: true }));

  async function whole(pieces: AsyncIterable<Buffer>): Promise<Buffer> {
    const all: Buffer[] = [];
    for await (const piece of pieces) all.push(piece);
    return Buffer.concat(all);
  }

  /** The same bytes, one or many at a time. */
  async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer, void, void> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }

  it('are what tar reads', async () => {
    const archive = await whole(writeTar(source, 'new'));
    const listed = execFileSync('tar', ['tf', '-'], { input: archive, encoding: 'utf8' });
    assert.deepEqual(listed.trim().split('\n'), [
      'new/a',
      `new/${long}`,
      'new/link',
      'new/sub/blocks',
      'new/sub/empty/',
    ]);
  });

  for (const format of ['gnu', 'pax', 'ustar'])
    it(`are read as tar writes them (${format}), however they are cut`, async () => {
      const archive = execFileSync('tar', [`--format=${format}`, '-cf', '-', '-C', source, '.']);
      for (const size of [1, 511, 100_000]) {
        const found: string[] = [];
        for await (const { name, kind, target, content } of readTar(cut(archive, size))) {
          const { length } = await whole(content());
          found.push(`${kind} ${name}${target} ${length}`);
        }
        assert.deepEqual(found.sort(), [
          'file ./a 1',
          `file ./${long} 1000`,
          'file ./sub/blocks 1024',
          'folder ./ 0',
          `folder ./${path.dirname(long)}/ 0`,
          'folder ./sub/ 0',
          'folder ./sub/empty/ 0',
          'symlink ./linka 0',
        ]);
      }
    });

  it('write nothing outside their target, and no links', async () => {
    const leading = path.join(folder, 'escape');
    mkdirSync(leading);
    writeFileSync(path.join(leading, 'evil'), 'E');
    symlinkSync('/etc/passwd', path.join(leading, 'passwd'));
    const rename = '--transform=s,^evil,x/../../evil,';
    const archive = execFileSync('tar', ['-P', rename, '-cf', '-', '-C', leading, 'evil', 'passwd']);
    const target = path.join(folder, 'target');
    let warned = '';
    const warn = { columns: undefined, write: (text: string) => void (warned += text) };
    await unpack(cut(archive, 700), { prefix: '', target, warn, advice: 'tar' });
    assert.deepEqual(readdirSync(target), []);
    assert.deepEqual(warned.replaceAll(folder, '').trim().split('\n'), [
      'warning: file "/evil" is outside target destination, skipping',
      'warning: skipping symlink: "/target/passwd" -> "/etc/passwd" (consider using tar)',
    ]);
  });

  for (const [what, change] of [
    ['that break off', (bytes: Buffer) => bytes.subarray(0, 520)],
    ['that are none', (bytes: Buffer) => Buffer.alloc(bytes.length, 'x')],
  ] as const)
    it(`tell of archives ${what}`, async () => {
      const archive = change(await whole(writeTar(path.join(source, long), 'a')));
      const warn = { columns: undefined, write: () => {} };
      const target = path.join(folder, 'broken');
      await assert.rejects(unpack(cut(archive, 512), { prefix: '', target, warn, advice: '' }), /EOF|header/);
    });

  it('bring files where they belong', async () => {
    const target = path.join(folder, 'back');
    const warn = { columns: undefined, write: () => {} };
    await unpack(writeTar(source, 'source'), { prefix: 'source', target, warn, advice: '' });
    assert.equal(readFileSync(path.join(target, 'sub', 'blocks')).length, 1024);
    assert.equal(readFileSync(path.join(target, long), 'utf8'), 'L'.repeat(1000));
  });
});
