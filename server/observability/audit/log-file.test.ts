import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { RotationLimits } from '../../config/audit-options.ts';
import { LogFile } from './log-file.ts';

const line = (text: string) => Buffer.from(`${text}\n`);

describe('audit log file', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'audit-log-'));
    file = path.join(folder, 'deep', 'audit.log');
  });
  const open = (limits: Partial<RotationLimits> = {}, target = file) =>
    new LogFile(target, { maxBytes: 0, maxBackups: 0, maxAgeMs: 0, compress: false, ...limits }, (error) => {
      throw error;
    });
  const names = () => readdirSync(path.dirname(file)).sort();
  const backups = () => names().filter((name) => name !== 'audit.log');

  it('is readable only for its owner, and is appended to after a restart', async () => {
    for (const text of ['a', 'b']) {
      const log = open();
      await log.append(line(text));
      await log.close();
    }
    assert.equal(readFileSync(file, 'utf8'), 'a\nb\n');
    assert.equal(statSync(file).mode & 0o777, 0o600);
  });

  it('keeps the order of lines that are appended at the same time, and contains them when append resolves', async () => {
    const log = open();
    const texts = Array.from({ length: 500 }, (_, i) => String(i));
    await Promise.all(texts.map((text) => log.append(line(text))));
    assert.equal(readFileSync(file, 'utf8'), texts.map((text) => `${text}\n`).join(''));
    await log.close();
  });

  it('is rotated when it is full, without lost or split lines', async () => {
    const log = open({ maxBytes: 100 });
    const texts = Array.from({ length: 60 }, (_, i) => `line ${String(i).padStart(3, '0')}`);
    for (let i = 0; i < texts.length; i += 7)
      await Promise.all(texts.slice(i, i + 7).map((text) => log.append(line(text))));
    await log.close();
    assert.ok(backups().length >= 5);
    for (const name of backups()) assert.match(name, /^audit-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}\.log$/);
    const all = [...backups(), 'audit.log'].map((name) => readFileSync(path.join(path.dirname(file), name), 'utf8'));
    for (const text of all) assert.ok(text.length <= 100, `${text.length}`);
    assert.equal(all.join(''), texts.map((text) => `${text}\n`).join(''));
  });

  it('accepts a line that is longer than the maximum file size', async () => {
    const log = open({ maxBytes: 10 });
    for (const text of ['short', 'x'.repeat(50), 'after']) await log.append(line(text));
    await log.close();
    assert.equal(backups().length, 2);
    assert.equal(readFileSync(file, 'utf8'), 'after\n');
  });

  it('keeps a maximum number of old files, and does not touch other files', async () => {
    const log = open({ maxBytes: 5, maxBackups: 2 });
    await log.append(line('0000'));
    const others = ['audit-old.log', 'audit-2020-01-01.log', 'other-2020-01-01T00-00-00.000.log'];
    for (const name of others) writeFileSync(path.join(path.dirname(file), name), '');
    for (let i = 1; i < 6; i++) await log.append(line(`000${i}`));
    await log.close();
    const own = backups().filter((name) => !others.includes(name));
    assert.deepEqual(
      own.map((name) => readFileSync(path.join(path.dirname(file), name), 'utf8')),
      ['0003\n', '0004\n'],
    );
    assert.equal(backups().length, own.length + others.length);
  });

  it('removes old files when it is opened, and compresses the others', async () => {
    const first = open();
    await first.append(line('now'));
    await first.close();
    const at = (days: number) =>
      new Date(Date.now() - days * 86_400_000).toISOString().slice(0, -1).replaceAll(':', '-');
    const [young, old] = [`audit-${at(1)}.log`, `audit-${at(3)}.log`];
    for (const name of [young, old]) writeFileSync(path.join(path.dirname(file), name), name);
    const log = open({ maxAgeMs: 2 * 86_400_000, compress: true });
    await log.open();
    await log.close();
    assert.deepEqual(backups(), [`${young}.gz`]);
    assert.equal(gunzipSync(readFileSync(path.join(path.dirname(file), `${young}.gz`))).toString(), young);
  });

  it('reports lines that it could not write', async () => {
    const log = open({}, '/dev/full');
    await assert.rejects(log.append(line('lost')), { code: 'ENOSPC' });
    await assert.rejects(log.append(line('lost as well')), { code: 'ENOSPC' });
    await log.close();
    await assert.rejects(open({}, path.join('/dev/null', 'audit.log')).append(line('x')), { code: 'EEXIST' });
  });
});
