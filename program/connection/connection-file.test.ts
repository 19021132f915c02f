import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Connection, formatConnection, readConnectionFile, writeConnectionFile } from './connection-file.ts';

describe('connection files', () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'connection-'));
  });
  after(() => rmSync(directory, { recursive: true }));

  function file(text: string): string {
    const name = path.join(directory, 'file.conf');
    writeFileSync(name, text);
    return name;
  }

  it('are read as they were written', () => {
    const connections: Connection[] = [
      {
        server: 'https://127.0.0.1:6443',
        ca: 'CA\n',
        clientCertificate: 'CERT\n',
        clientKey: 'KEY\n',
        namespace: 'dev',
      },
      { server: 'https://host', token: 'secret', insecureSkipTlsVerify: true, tlsServerName: 'other' },
      { server: 'http://host', username: 'u', password: 'p' },
    ];
    for (const connection of connections) {
      const name = path.join(directory, 'written.conf');
      writeConnectionFile(name, 'admin', connection);
      assert.deepEqual(readConnectionFile(name), connection);
      assert.equal(statSync(name).mode & 0o777, 0o600);
    }
  });

  it('may refer to files beside them', () => {
    writeFileSync(path.join(directory, 'ca.crt'), 'CA');
    const name = file(`
clusters: [{name: c, cluster: {server: https://h, certificate-authority: ca.crt}}]
users: [{name: u, user: {tokenFile: token}}]
contexts: [{name: x, context: {cluster: c, user: u}}, {name: y, context: {cluster: c}}]
current-context: x
`);
    assert.deepEqual(readConnectionFile(name), {
      server: 'https://h',
      ca: 'CA',
      tokenFile: path.join(directory, 'token'),
    });
    assert.deepEqual(readConnectionFile(name, 'y'), { server: 'https://h', ca: 'CA' });
  });

  it('say what is missing', () => {
    const cases: [string, RegExp][] = [
      ['a: 1', /no current-context/],
      ['[', /is not YAML/],
      ['- a', /must hold clusters, users and contexts/],
      ['current-context: x', /there is no "x" in contexts/],
      ['contexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x', /there is no "c" in clusters/],
      [
        'clusters: [{name: c, cluster: {}}]\ncontexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x',
        /has no server/,
      ],
      ['a: 1\na: 2', /is not YAML/],
    ];
    for (const [text, message] of cases)
      assert.throws(() => readConnectionFile(file(text)), { name: 'ConfigError', message });
    assert.throws(() => readConnectionFile(path.join(directory, 'none')), /cannot read/);
  });

  it('are plain text', () => {
    assert.match(formatConnection('n', { server: 'https://h' }), /^apiVersion: v1\nkind: Config\n/);
  });
});
