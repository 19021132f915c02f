import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Header, pack } from 'tar-stream';
import { unpack } from './unpack.ts';
import { writeTar } from './write-tar.ts';

describe('tar archives of cp', () => {
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

  /** The same bytes in pieces of `size` bytes. */
  async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer, void, void> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }

  /** The warnings of a copy out of a container while the test unpacks an archive. */
  async function unpacked(pieces: AsyncIterable<Buffer>, target: string, prefix = ''): Promise<string> {
    let warned = '';
    const warn = { columns: undefined, write: (text: string) => void (warned += text) };
    await unpack(pieces, { prefix, target, warn, advice: 'tar' });
    return warned;
  }

  it('can be read by tar', async () => {
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

  for (const format of ['v7', 'gnu', 'pax', 'ustar'])
    it(`written by tar (${format}) can be read in chunks of any size`, async () => {
      // The oldest format allows only short names.
      const names = format === 'v7' ? ['./a', './link', './sub'] : ['.'];
      const archive = execFileSync('tar', [`--format=${format}`, '-cf', '-', '-C', source, ...names]);
      for (const size of [1, 511, 100_000]) {
        const target = path.join(folder, `${format}-${size}`);
        const warned = await unpacked(cut(archive, size), target);
        assert.deepEqual(readdirSync(target, { recursive: true }).sort(), [
          'a',
          ...(format === 'v7' ? [] : [path.dirname(long), long]),
          'sub',
          'sub/blocks',
          'sub/empty',
        ]);
        assert.equal(readFileSync(path.join(target, 'a'), 'utf8'), 'A');
        assert.equal(readFileSync(path.join(target, 'sub', 'blocks'), 'utf8'), 'x'.repeat(1024));
        if (format !== 'v7') assert.equal(readFileSync(path.join(target, long), 'utf8'), 'L'.repeat(1000));
        assert.match(warned, /^warning: skipping symlink: "[^"]*link" -> "a" \(consider using tar\)\n$/);
      }
    });

  it('write nothing outside of their target folder, and no links', async () => {
    const leading = path.join(folder, 'escape');
    mkdirSync(leading);
    writeFileSync(path.join(leading, 'evil'), 'E');
    symlinkSync('/etc/passwd', path.join(leading, 'passwd'));
    const rename = '--transform=s,^evil,x/../../evil,';
    const archive = execFileSync('tar', ['-P', rename, '-cf', '-', '-C', leading, 'evil', 'passwd']);
    const target = path.join(folder, 'target');
    const warned = await unpacked(cut(archive, 700), target);
    assert.deepEqual(readdirSync(target), []);
    assert.deepEqual(warned.replaceAll(folder, '').trim().split('\n'), [
      'warning: file "/evil" is outside target destination, skipping',
      'warning: skipping symlink: "/target/passwd" -> "/etc/passwd" (consider using tar)',
    ]);
  });

  /** An archive of single entries. The headers may be malformed. */
  async function archiveOf(
    ...entries: readonly { header: Partial<Header> & { name: string }; content?: string }[]
  ): Promise<Buffer> {
    const archive = pack();
    for (const { header, content } of entries) archive.entry(header, content ?? '');
    archive.finalize();
    return whole(archive as AsyncIterable<Buffer>);
  }

  it('do not follow a link out of the target folder', async () => {
    const outside = path.join(folder, 'outside');
    mkdirSync(outside);
    writeFileSync(path.join(outside, 'secret'), 'S');
    const archive = await archiveOf(
      { header: { name: 'top/out', type: 'symlink', linkname: outside } },
      { header: { name: 'top/out/evil' }, content: 'E' },
      { header: { name: 'top/stolen', type: 'link', linkname: 'top/../../outside/secret' } },
      { header: { name: 'top/absolute', type: 'link', linkname: path.join(outside, 'secret') } },
      { header: { name: 'top/pipe', type: 'fifo' } },
      { header: { name: 'top/copy', type: 'link', linkname: 'top/out/evil' } },
    );
    const target = path.join(folder, 'top');
    const warned = await unpacked(cut(archive, 512), target, 'top');
    assert.match(warned, /^warning: skipping symlink: .*\n$/);
    assert.deepEqual(readdirSync(outside), ['secret']);
    assert.deepEqual(readdirSync(target, { recursive: true }).sort(), ['copy', 'out', 'out/evil']);
    assert.equal(readFileSync(path.join(target, 'copy'), 'utf8'), 'E');
  });

  it('keep absolute names inside of the target folder', async () => {
    const absolute = path.join(folder, 'absolute-name');
    const target = path.join(folder, 'absolute');
    const archive = await archiveOf({ header: { name: absolute }, content: 'A' });
    assert.equal(await unpacked(cut(archive, 512), target), '');
    assert.equal(existsSync(absolute), false);
    assert.equal(readFileSync(path.join(target, absolute), 'utf8'), 'A');
  });

  it('are refused if a name is not below the requested path', async () => {
    const archive = await archiveOf({ header: { name: 'other/file' }, content: 'A' });
    const target = path.join(folder, 'other');
    await assert.rejects(unpacked(cut(archive, 512), target, 'wanted'), /tar contents corrupted/);
    assert.equal(existsSync(target), false);
  });

  const file = (name: string) => archiveOf({ header: { name }, content: 'A'.repeat(1000) });
  const lying = async (size: Buffer): Promise<Buffer> => {
    const bytes = await file('a');
    size.copy(bytes, 124);
    return withSum(bytes);
  };
  for (const [what, archive, refusal] of [
    ['a truncated archive', async () => (await file('a')).subarray(0, 520), /EOF/],
    ['an archive truncated in its last block', async () => (await file('a')).subarray(0, 1400), /EOF/],
    ['data that is not an archive', async () => Buffer.alloc(4096, 'x'), /header/],
    ['a size that is larger than the data', () => lying(Buffer.from('77777777777\0')), /EOF/],
    ['a size of a million terabytes', () => lying(Buffer.from('80000000000fffffffffffff', 'hex')), /EOF/],
    ['a size that is not a number', () => lying(Buffer.from('9+1 bytes...')), /header/],
    ['a negative size', () => lying(Buffer.alloc(12, 0xff)), /header/],
    [
      'an invalid size in an extended header',
      () => archiveOf({ header: { name: 'a', pax: { size: '-1000' } }, content: 'A' }),
      /header/,
    ],
    [
      'an extended header that is too long',
      () => archiveOf({ header: { name: 'a', pax: { comment: 'x'.repeat(5 << 20) } }, content: 'A' }),
      /header/,
    ],
  ] as const)
    it(`are refused: ${what}`, async () => {
      const bytes = await archive();
      await assert.rejects(unpacked(cut(bytes, 65_536), path.join(folder, 'broken')), refusal);
    });

  it('report a file that becomes shorter while it is read', async () => {
    const shrinking = path.join(folder, 'shrinking');
    writeFileSync(shrinking, Buffer.alloc(1 << 20));
    const archive = writeTar(shrinking, 'a')[Symbol.asyncIterator]();
    await archive.next();
    truncateSync(shrinking, 1 << 18);
    const rest = async () => {
      while ((await archive.next()).done !== true);
    };
    await assert.rejects(rest(), /shrinking became shorter while it was read/);
  });

  it('extract files to their original paths', async () => {
    const target = path.join(folder, 'back');
    await unpacked(writeTar(source, 'source'), target, 'source');
    assert.equal(readFileSync(path.join(target, 'sub', 'blocks')).length, 1024);
    assert.equal(readFileSync(path.join(target, long), 'utf8'), 'L'.repeat(1000));
  });
});

/** Corrects the checksum of the first header. */
function withSum(bytes: Buffer): Buffer {
  bytes.fill(0x20, 148, 156);
  let sum = 0;
  for (const byte of bytes.subarray(0, 512)) sum += byte;
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return bytes;
}
