import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '#base/errors/config-error.ts';
import { SmallDisk } from '#e2e/drills/small-disk.ts';
import { StoreFullError } from '#storage/object-store.ts';
import { openEmbeddedStore } from './embedded-store.ts';

const VALUE = Buffer.alloc(2_000, 'v');

/** Overwrites bytes of a file at the place of a text. */
function spoil(file: string, text: string): void {
  const at = readFileSync(file).indexOf(text);
  assert.notEqual(at, -1);
  const handle = openSync(file, 'r+');
  writeSync(handle, 'spoilt', at);
  closeSync(handle);
}

/** Another process that opens the file; `hold` keeps the file open. */
function inOtherProcess(file: string): ChildProcess {
  const program = `
    import { openEmbeddedStore } from '#storage-embedded/embedded-store.ts';
    const store = await openEmbeddedStore({ file: ${JSON.stringify(file)} });
    await store.create('/registry/held', Buffer.from('1'));
    console.log('open');
    setInterval(() => {}, 1000);`;
  return spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: path.resolve(import.meta.dirname, '..'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function setLayout(file: string, layout: number): void {
  const db = new DatabaseSync(file);
  db.exec(`PRAGMA user_version = ${layout}`);
  db.close();
}

describe('an embedded store in a file', () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'store-'));
    file = path.join(folder, 'store');
    const store = await openEmbeddedStore({ file });
    for (let i = 0; i < 100; i++)
      await store.create(`/registry/${i}`, Buffer.concat([VALUE, Buffer.from(`value ${i}.`)]));
    await store.close();
  });

  afterEach(() => rm(folder, { recursive: true }));

  const refused = (what: RegExp) => async () => {
    await assert.rejects(openEmbeddedStore({ file }), (error: Error) => {
      assert.ok(error instanceof ConfigError, String(error));
      assert.match(error.message, what);
      assert.ok(!error.message.includes('\n'));
      return true;
    });
  };

  for (const [name, change, what] of [
    ['was truncated', () => truncateSync(file, 40_000), /is damaged .*put a backup in its place/],
    ['was truncated within its header', () => truncateSync(file, 50), /is damaged \(it was cut\): put a backup/],
    ['is empty', () => truncateSync(file, 0), /is empty; remove it to begin with an empty store/],
    ['has a damaged value', () => spoil(file, 'value 50.'), /is damaged .*put a backup in its place/],
    ['has a damaged header', () => spoil(file, 'SQLite format'), /is no file of a store/],
    ['has a newer format', () => setLayout(file, 7), /has layout 7, .* knows layouts up to 1: start a newer release/],
    [
      'has an older format',
      () => setLayout(file, 0),
      /has layout 0, .* layouts from 1 on: start the release that wrote/,
    ],
    [
      'belongs to another program',
      () => {
        rmSync(file);
        const db = new DatabaseSync(file);
        db.exec('CREATE TABLE t (a)');
        db.close();
      },
      /is a database of another program/,
    ],
    ['is a folder', () => (file = folder), /is no file/],
    ['is in a folder that does not exist', () => (file = path.join(folder, 'none', 'store')), /cannot make .*none/],
  ] as const) {
    it(`is refused with advice if the file ${name}`, async () => {
      change();
      await refused(what)();
    });
  }

  it('is refused with advice if its write-ahead log is missing', async () => {
    const other = inOtherProcess(file);
    await once(other.stdout!, 'data');
    const exited = once(other, 'exit');
    other.kill('SIGKILL');
    await exited;
    const log = readFileSync(`${file}-wal`);
    rmSync(`${file}-wal`);
    await refused(/-wal is missing: .*put it beside/)();
    writeFileSync(`${file}-wal`, log);
    const store = await openEmbeddedStore({ file });
    assert.equal((await store.get('/registry/held'))?.value.toString(), '1');
    await store.close();
  });

  it('belongs to one process: a second process gets an error with the id of the first', async () => {
    const other = inOtherProcess(file);
    try {
      await once(other.stdout!, 'data');
      await refused(new RegExp(`is in use by process ${other.pid}: one process owns`))();
    } finally {
      const exited = once(other, 'exit');
      other.kill('SIGKILL');
      await exited;
    }
    const store = await openEmbeddedStore({ file });
    await refused(new RegExp(`is in use by process ${process.pid}:`))();
    await store.close();
  });

  it('is refused if its values were damaged, even if SQLite finds no error', async () => {
    spoil(file, 'value 7.');
    const db = new DatabaseSync(file);
    assert.equal(db.prepare('PRAGMA quick_check').get()?.['quick_check'], 'ok');
    db.close();
    await refused(/is damaged \(.*\/registry\/7 is not what was written/)();
  });

  it('is refused with advice if the disk is read-only', async function () {
    const disk = SmallDisk.make(16);
    if (disk === undefined) return this.skip();
    try {
      copyFileSync(file, path.join(disk.folder, 'store'));
      disk.readOnly(true);
      file = path.join(disk.folder, 'store');
      await refused(/cannot open .*for writing: .*; the store needs to write it/)();
      disk.readOnly(false);
      await (await openEmbeddedStore({ file })).close();
    } finally {
      disk.remove();
    }
  });

  it('on a full disk accepts only deletions, reports it once, and loses nothing', async function () {
    const disk = SmallDisk.make(24);
    if (disk === undefined) return this.skip();
    const said: string[] = [];
    file = path.join(disk.folder, 'store');
    const onTrouble = (message: string) => void said.push(message);
    try {
      const store = await openEmbeddedStore({ file, onTrouble });
      const written = new Map<string, number>();
      const put = async (key: string) => {
        const result = await store.create(key, VALUE);
        assert.equal(result.outcome, 'written');
        written.set(key, result.outcome === 'written' ? result.revision : 0);
      };
      for (let i = 0; i < 1_000; i++) await put(`/registry/${i}`);
      disk.fill();
      await assert.rejects(async () => {
        for (let i = 1_000; i < 5_000; i++) await put(`/registry/${i}`);
      }, StoreFullError);
      assert.equal(store.full, true);
      await assert.rejects(put('/registry/more'), StoreFullError);
      for (let i = 0; i < 500; i++) {
        const key = `/registry/${i}`;
        assert.equal((await store.remove(key, written.get(key)!)).outcome, 'written');
        written.delete(key);
      }
      await store.compact(await store.currentRevision());
      await store.purged();
      assert.equal(said.length, 1);
      assert.match(said[0]!, /full: it takes deletions only/);
      await store.close();

      disk.free();
      const again = await openEmbeddedStore({ file, onTrouble });
      const { items } = await again.list('/registry/', {});
      assert.deepEqual(new Map(items.map(({ key, revision }) => [key, revision])), new Map([...written].sort(byKey)));
      assert.equal(again.full, false);
      assert.equal((await again.create('/registry/more', VALUE)).outcome, 'written');
      await again.close();
    } finally {
      disk.remove();
    }
  });

  it('reports free space and accepts writes again', async function () {
    const disk = SmallDisk.make(24);
    if (disk === undefined) return this.skip();
    const said: string[] = [];
    try {
      const store = await openEmbeddedStore({
        file: path.join(disk.folder, 'store'),
        onTrouble: (message) => void said.push(message),
      });
      disk.fill();
      let i = 0;
      await assert.rejects(async () => {
        for (; i < 5_000; i++) await store.create(`/registry/${i}`, VALUE);
      }, StoreFullError);
      disk.free();
      for (let tries = 0; ; tries++) {
        try {
          await store.create(`/registry/${i}`, VALUE);
          break;
        } catch (error) {
          if (tries === 40 || !(error instanceof StoreFullError)) throw error;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      }
      assert.equal(store.full, false);
      assert.match(said.join('\n'), /^the disk of the store is full.*\nthere is room on the disk of the store again$/);
      await store.close();
    } finally {
      disk.remove();
    }
  });
});

function byKey([a]: readonly [string, number], [b]: readonly [string, number]): number {
  return a < b ? -1 : 1;
}
