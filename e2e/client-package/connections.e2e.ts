import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { stringify } from 'yaml';
import { FakeNode } from '#client/testing/fake-node.ts';
import { aroundAll } from '#server/testing/around-all.ts';
import { type TestReplica, testNaming, testPki } from '#server/testing/replica.ts';
import { ForeignProject, NODES } from './foreign-project.ts';

describe('connections of the packed client package', function () {
  this.timeout(120_000);
  let replica: TestReplica;
  let project: ForeignProject;
  const servers: net.Server[] = [];
  aroundAll((started) => {
    replica = started;
  });
  before(async () => {
    project = await ForeignProject.create();
    project.copy('e2e/client-package/programs', 'programs');
    const { status, output } = await project.compile('programs/connections.ts');
    assert.equal(status, 0, output);
  });
  after(() => {
    for (const server of servers) server.close();
    project?.remove();
  });

  async function listen(server: net.Server): Promise<number> {
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  /** Writes a connection file in YAML that only a complete parser can read, and returns the path of the file. */
  function file(name: string, user: object, more: object = {}, port = replica.port): string {
    const ca = Buffer.from(testPki().read('ca.crt')).toString('base64');
    const cluster = { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': ca, ...more };
    const document = {
      clusters: [{ name: 'c', cluster }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    };
    project.write(name, `%YAML 1.2\n---\n${stringify(document, { defaultStringType: 'QUOTE_DOUBLE' })}`);
    return path.join(project.folder, name);
  }

  const token = () => testPki().read('tokens.csv').split(',')[0]!;
  const program = () => path.join(project.folder, 'built/programs/connections.js');

  const tunnels: string[] = [];
  async function proxy(): Promise<number> {
    const server = http.createServer();
    server.on('connect', ({ url = '' }, socket) => {
      tunnels.push(url);
      const behind = net.connect(Number(url.split(':')[1]), '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(behind).pipe(socket);
      });
      for (const end of [socket, behind]) end.on('error', () => {});
    });
    return listen(server);
  }

  function plugIn(): object {
    const apiVersion = 'client.authentication.orch.io/v1';
    const answer = { apiVersion, kind: 'ExecCredential', status: { token: token() } };
    project.write('plug-in.cjs', `console.log(${JSON.stringify(JSON.stringify(answer))});`);
    return { apiVersion, command: process.execPath, args: ['plug-in.cjs'], interactiveMode: 'Never' };
  }

  for (const [version, node] of NODES) {
    const credentials: readonly (readonly [what: string, user: () => object])[] = [
      ['a token', () => ({ token: token() })],
      ['a credential plug-in', () => ({ exec: plugIn() })],
      [
        'a client certificate',
        () => ({ 'client-certificate': testPki().file('admin.crt'), 'client-key': testPki().file('admin.key') }),
      ],
    ];
    for (const [what, user] of credentials)
      it(`authenticate with ${what}, on ${version}`, async () => {
        const { status, output } = await project.run(node, [program(), file('user.conf', user())]);
        assert.match(output, /^(.* )?default /);
        assert.equal(status, 0);
      });

    it(`go through a proxy, on ${version}`, async () => {
      tunnels.length = 0;
      const settings = file('proxy.conf', { token: token() }, { 'proxy-url': `http://127.0.0.1:${await proxy()}` });
      const { status, output } = await project.run(node, [program(), settings]);
      assert.match(output, /default/);
      assert.equal(status, 0);
      assert.deepEqual([...new Set(tunnels)], [`127.0.0.1:${replica.port}`]);
    });

    for (const webSockets of [true, false])
      it(`carry streams over ${webSockets ? 'web sockets' : 'SPDY'}, on ${version}`, async () => {
        const pki = testPki();
        const tls = { cert: pki.read('server.crt'), key: pki.read('server.key') };
        const agent = await FakeNode.start({ naming: testNaming, ...tls, webSockets });
        try {
          const echo = await listen(net.createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)));
          const command = '/exec/default/pod/one?output=1&command=sh&command=-c&command=echo%20hello%3B%20exit%203';
          const settings = file('node.conf', {}, {}, agent.port);
          const args = [program(), settings, command, '/portForward/default/pod', String(echo)];
          const { status, output } = await project.run(node, args);
          assert.equal(output, 'hello\nstatus 3\nthere and back\n');
          assert.equal(status, 0);
        } finally {
          agent.stop();
        }
      });
  }
});
