import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Connection } from './connection.ts';
import { readConnection } from './connection-file.ts';
import type { LoadedConnection } from './loaded-connection.ts';
import { formatConnection, writeConnectionFile } from './write-connection-file.ts';

describe('writeConnectionFile', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'connection-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const text = (value: string) => ({ text: value });
  const cases: readonly [written: LoadedConnection, read: Connection][] = [
    [
      { server: 'https://h:6443', ca: 'CA\n', clientCertificate: 'CERT\n', clientKey: 'KEY\n', namespace: 'dev' },
      {
        cluster: { server: 'https://h:6443', ca: text('CA\n') },
        user: { clientCertificate: text('CERT\n'), clientKey: text('KEY\n') },
        namespace: 'dev',
      },
    ],
    [
      { server: 'https://h', token: 'secret', insecureSkipTlsVerify: true, tlsServerName: 'other' },
      {
        cluster: { server: 'https://h', insecureSkipTlsVerify: true, tlsServerName: 'other' },
        user: { token: text('secret') },
      },
    ],
    [
      { server: 'http://h', username: 'u', password: 'p', proxyUrl: 'socks5://p' },
      { cluster: { server: 'http://h', proxyUrl: 'socks5://p' }, user: { username: 'u', password: 'p' } },
    ],
    [
      { server: 'https://h', tokenFile: '/run/token' },
      { cluster: { server: 'https://h' }, user: { token: { file: '/run/token' } } },
    ],
  ];
  for (const [written, read] of cases)
    it(`writes a file that reads back the same: ${Object.keys(written).join(', ')}`, () => {
      const file = path.join(folder, 'written.conf');
      writeConnectionFile(file, 'admin', written);
      assert.deepEqual(readConnection(file), read);
      assert.equal(statSync(file).mode & 0o777, 0o600);
    });

  it('formats the file as plain YAML', () => {
    assert.match(formatConnection('n', { server: 'https://h' }), /^apiVersion: v1\nkind: Config\n/);
  });
});
