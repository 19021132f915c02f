import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chooseConnection, readConnection, readConnectionFiles } from './connection-file.ts';

const WHOLE = `apiVersion: v1
kind: Config
clusters:
- name: c
  cluster:
    server: https://h:1/p
    proxy-url: http://proxy
users:
- name: u
  user:
    token: t
contexts:
- name: x
  context:
    cluster: c
    user: u
    namespace: n
current-context: x
`;

describe('connection files', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'connection-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function file(text: string, name = 'a.conf'): string {
    const at = path.join(folder, name);
    writeFileSync(at, text);
    return at;
  }

  /** The reader's messages about a text, without the folder of the file. */
  function messageOf(text: string, isStrict = false): string {
    try {
      chooseConnection(readConnectionFiles([file(text)], isStrict));
    } catch (error) {
      assert.equal((error as Error).name, 'ConnectionFileError');
      return (error as Error).message.replaceAll(`${folder}/`, '');
    }
    return 'nothing is wrong';
  }

  it('are read from YAML and JSON', () => {
    assert.deepEqual(readConnection(file(WHOLE)), {
      cluster: { server: 'https://h:1/p', proxyUrl: 'http://proxy' },
      user: { token: { text: 't' } },
      namespace: 'n',
    });
    const json = '{"clusters": [{"name": "c", "cluster": {"server": "http://h"}}], "users": null}';
    assert.deepEqual(readConnection(file(json), { cluster: 'c' }), { cluster: { server: 'http://h' }, user: {} });
  });

  /** a text to replace, its replacement, and the message of the reader */
  const mistakes: readonly [what: string, old: string, text: string, says: string][] = [
    ['an unknown version', 'v1', 'v7', '1:13: apiVersion must be "v1"'],
    ['an unknown kind', 'Config', 'Pod', '2:7: kind must be "Config"'],
    ['a wrong type', 'https://h:1/p', '5', '6:13: clusters[0].cluster.server must be a text: put it in quotes'],
    ['users is not a list', 'users:\n- name: u\n  user:\n    token: t', 'users: u', '8:8: users must be a list'],
    ['a user without a name', '- name: u\n  user:', '- user:', '9:3: users[0].name is missing'],
    [
      'a value is not base64',
      'token: t',
      'client-key-data: "*"',
      '11:22: users[0].user.client-key-data must be base64',
    ],
    ['the same name twice', 'users:', 'users:\n- name: u', '10:9: users[1].name is the name of another one before it'],
    ['a cluster without a server', 'https://h:1/p', '', '6:5: clusters[0].cluster.server is missing'],
    [
      'an unknown scheme',
      'https://h:1/p',
      'ftp://u:secret@h',
      '6:13: clusters[0].cluster.server is not usable: it must begin with http:// or https://',
    ],
    [
      'a proxy of an unknown kind',
      'http://proxy',
      'ftp://u:secret@h',
      '7:16: clusters[0].cluster.proxy-url is not usable: it must begin with http://, https:// or socks5://',
    ],
    [
      'a certificate authority that is never used',
      'proxy-url: http://proxy',
      'insecure-skip-tls-verify: true\n    certificate-authority: a.crt',
      '7:31: clusters[0].cluster.insecure-skip-tls-verify must not be true beside a certificate-authority',
    ],
    [
      'a key without a certificate',
      'token: t',
      'client-key: k',
      '11:5: users[0].user needs both client-certificate and client-key, or neither',
    ],
    [
      'two kinds of login',
      'token: t',
      'token: t\n    username: u',
      '12:15: users[0].user.username stands beside a token: choose one',
    ],
    [
      'an auth-provider',
      'token: t',
      'auth-provider: {}',
      '11:20: users[0].user.auth-provider is not supported: use a credential plug-in (exec)',
    ],
    ['a credential plug-in without a command', 'token: t', 'exec: {}', '11:11: users[0].user.exec.command is missing'],
    [
      'a credential plug-in of an unknown version',
      'token: t',
      'exec: {command: c, apiVersion: v1}',
      '11:36: users[0].user.exec.apiVersion is no version of a credential plug-in that is known',
    ],
    [
      'a credential plug-in without an interactiveMode',
      'token: t',
      'exec: {command: c, apiVersion: client.authentication.orch.io/v1}',
      '11:11: users[0].user.exec.interactiveMode must be one of Never, IfAvailable, Always',
    ],
    [
      'an unknown current context',
      'current-context: x',
      'current-context: y',
      '18:18: current-context is not the name',
    ],
    [
      'a context with an unknown cluster',
      'cluster: c',
      'cluster: d',
      '15:14: contexts[0].context.cluster is not the name',
    ],
    [
      'a context with an unknown user',
      'user: u',
      'user: v',
      '16:11: contexts[0].context.user is not the name of one of users',
    ],
    ['no YAML', 'token: t', 'token: "t', '19:1: it is neither YAML nor JSON'],
    ['the document is not an object', WHOLE, '- a', '1:1: it must be an object'],
    ['nothing', WHOLE, '', ' it has no current-context: set one, or name the context to use'],
  ];
  for (const [what, old, text, says] of mistakes)
    it(`show the place of a mistake: ${what}`, () => {
      const message = messageOf(WHOLE.replace(old, text));
      assert.ok(message.startsWith(`a.conf:${says}`), message);
    });

  it('show all mistakes at once', () => {
    const text = WHOLE.replace('https://h:1/p', '5').replace('token: t', 'token: 6');
    assert.equal(messageOf(text).split('\n').length, 2);
  });

  it('may have unknown fields, which the reader lists with their places', () => {
    const read = readConnectionFiles([file(WHOLE.replace('token: t', 'tokn: t'))]);
    assert.deepEqual(read.unknownFields(), [
      `${folder}/a.conf:11:5: users[0].user.tokn is not known: did you mean token?`,
    ]);
    assert.deepEqual(chooseConnection(read).user, {});
    assert.deepEqual(readConnectionFiles([file(WHOLE)]).unknownFields(), []);
  });

  it('may repeat fields and documents if a client reads them, but not if a server does', () => {
    const twice = WHOLE.replace('token: t', 'token: s\n    token: t');
    assert.deepEqual(readConnection(file(twice)).user, { token: { text: 't' } });
    assert.equal(messageOf(twice, true), 'a.conf:12:5: users[0].user.token stands here twice');
    const second = `${WHOLE}---\nusers: 5\n`;
    assert.deepEqual(readConnection(file(second)).user, { token: { text: 't' } });
    assert.equal(messageOf(second, true), 'a.conf:19:1: it is neither YAML nor JSON: there is a second document');
    assert.equal(messageOf(WHOLE, true), 'nothing is wrong');
  });

  it('never show a value in a message', () => {
    const secret = 'c2VjcmV0LXNlY3JldC1zZWNyZXQ';
    const values = [...WHOLE.replace('token: t', 'token: t\n    tokenFile: f\n    as: a').matchAll(/(?<=: )\S+/g)];
    for (const { 0: value, index, input } of values)
      for (const made of [secret, `[${secret}]`, `{${secret}: ${secret}}`, `"${secret}`, `${secret}: ${secret}`])
        for (const isStrict of [false, true]) {
          const text = `${input.slice(0, index)}${made}${input.slice(index + value.length)}`;
          const message = messageOf(text, isStrict);
          assert.ok(!message.includes(secret.slice(0, 8)), `${text}\n${message}`);
        }
  });

  it('are merged if there are several, and the first file with a field wins', () => {
    const first = file(WHOLE, 'first');
    const second = file(
      `current-context: y
clusters: [{name: c, cluster: {server: https://other}}, {name: d, cluster: {server: https://d}}]
contexts: [{name: y, context: {cluster: d, user: u}}]
`,
      'second',
    );
    const all = readConnectionFiles([first, second]);
    assert.equal(all.currentContext, 'x');
    assert.equal(chooseConnection(all).cluster.server, 'https://h:1/p');
    assert.equal(chooseConnection(all, { context: 'y' }).cluster.server, 'https://d');
    assert.equal(chooseConnection(all, { cluster: 'd' }).cluster.server, 'https://d');
    assert.throws(() => chooseConnection(all, { context: 'z' }), /there is no context "z"/);
    assert.throws(() => chooseConnection(all, { cluster: 'z' }), /there is no cluster "z"/);
    assert.throws(() => chooseConnection(all, { user: 'z' }), /there is no user "z"/);
  });

  it('have file paths that are relative to their folder', () => {
    const text = WHOLE.replace('proxy-url: http://proxy', 'certificate-authority: pki/ca.crt').replace(
      'token: t',
      'tokenFile: token\n    client-certificate: /etc/c.crt\n    client-key-data: eA==',
    );
    assert.deepEqual(readConnection(file(text)), {
      cluster: { server: 'https://h:1/p', ca: { file: path.join(folder, 'pki/ca.crt') } },
      user: {
        token: { file: path.join(folder, 'token') },
        clientCertificate: { file: '/etc/c.crt' },
        clientKey: { text: 'x' },
      },
      namespace: 'n',
    });
  });

  it('must exist', () => {
    assert.throws(() => readConnection(path.join(folder, 'none')), { message: /^cannot read .*none: ENOENT/ });
  });
});
