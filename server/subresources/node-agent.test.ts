import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNaming } from '#base/naming/create-naming.ts';
import { CN, makeAuthority, makeCertificate, SERVER_AUTH } from '#base/x509/make-certificate.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { startBootstrappedEtcd } from '../testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica, testPki } from '../testing/replica.ts';

const PODS = '/api/v1/namespaces/default/pods';
const SERVICES = '/api/v1/namespaces/default/services';

describe('logs, streams and proxies through node agents', function () {
  this.timeout(60_000);
  const pki = testPki();
  const asked: string[] = [];
  let etcd: EtcdProcess;
  let replica: TestReplica;
  let agent: https.Server;
  const folder = mkdtempSync(path.join(tmpdir(), 'node-agent-'));
  const id = { headers: { 'Audit-ID': 'marked' } };
  const [policyFile, auditLog] = [path.join(folder, 'policy'), path.join(folder, 'log')];

  /**
   * The stages of the marked request on a subresource, with the code of the answer. Resolves when one stage is in the
   * audit log.
   */
  const laterRecorded = async (subresource: string, awaited: string): Promise<[stage: string, code: number][]> => {
    for (let i = 0; ; i++) {
      const stages = readFileSync(auditLog, 'utf8')
        .split('\n')
        .filter((line) => line.includes(id.headers['Audit-ID']) && line.includes(`"subresource":"${subresource}"`))
        .map((line) => JSON.parse(line))
        .map(({ stage, responseStatus }): [string, number] => [stage, responseStatus?.code]);
      if (stages.at(-1)?.[0] === awaited || i === 200) return stages;
      await sleep(10);
    }
  };

  const send = async (method: string, target: string, body: unknown): Promise<void> => {
    const { status, text } = await replica.call(method, target, { body });
    assert.ok(status < 300, `${method} ${target}: ${text}`);
  };

  before(async () => {
    const [cert, key, ca] = ['server.crt', 'server.key', 'ca.crt'].map((name) => pki.read(name));
    agent = https.createServer({ cert: cert!, key: key!, ca: ca!, requestCert: true, rejectUnauthorized: true });
    agent.on('request', (request: IncomingMessage, response) => {
      asked.push(request.url ?? '');
      if (request.url?.includes('previous') === true) response.writeHead(400).end('no previous container');
      else if (request.url?.includes('limitBytes') === true) response.writeHead(500).end('the disk is gone');
      else response.end('a line\n');
    });
    agent.on('upgrade', (request: IncomingMessage, socket: Socket) => {
      asked.push(`${request.method} ${request.url}`);
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
      socket.pipe(socket);
    });
    agent.listen(0, '127.0.0.1');
    await once(agent, 'listening');
    const { port } = agent.address() as AddressInfo;
    const rules = [{ level: 'RequestResponse', omitStages: ['RequestReceived'] }];
    const apiVersion = createNaming('orch').apiVersion('audit', 'v1');
    writeFileSync(policyFile, JSON.stringify({ apiVersion, kind: 'Policy', rules }));
    etcd = await startBootstrappedEtcd();
    replica = await startReplica(
      etcd.endpoint,
      `--kubelet-client-certificate=${pki.file('admin.crt')}`,
      `--kubelet-client-key=${pki.file('admin.key')}`,
      `--kubelet-certificate-authority=${pki.file('ca.crt')}`,
      '--disable-admission-plugins=ServiceAccount',
      `--audit-policy-file=${policyFile}`,
      `--audit-log-path=${auditLog}`,
    );
    for (const [name, agentPort] of [
      ['alive', port],
      ['dead', 1],
    ] as const) {
      await send('POST', '/api/v1/nodes', { metadata: { name } });
      const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }];
      const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: agentPort } } };
      const patch = { raw: JSON.stringify({ status }), headers: { 'Content-Type': 'application/merge-patch+json' } };
      assert.equal((await replica.call('PATCH', `/api/v1/nodes/${name}/status`, patch)).status, 200);
    }
    await send('POST', '/api/v1/nodes', { metadata: { name: 'nowhere' } });
    const containers = [{ name: 'c', image: 'i' }];
    for (const node of ['alive', 'dead', 'nowhere', 'missing']) {
      await send('POST', PODS, { metadata: { name: node }, spec: { nodeName: node, containers } });
    }
    await send('POST', PODS, { metadata: { name: 'homeless' }, spec: { containers } });
    await send('POST', SERVICES, { metadata: { name: 's' }, spec: { ports: [{ name: 'web', port: 80 }] } });
    await send('POST', '/api/v1/namespaces/default/endpoints', {
      metadata: { name: 's' },
      subsets: [{ addresses: [{ ip: '10.9.9.9' }], ports: [{ name: 'web', port: 80 }] }],
    });
  });

  after(async () => {
    agent?.closeAllConnections();
    agent?.close();
    await replica?.stop();
    await etcd?.stop();
  });

  const table: [what: string, target: string, status: number, message: string | RegExp][] = [
    ['a log', `${PODS}/alive/log`, 200, 'a line\n'],
    ['a log with container and tailLines', `${PODS}/alive/log?container=c&tailLines=3`, 200, 'a line\n'],
    ['a log that the agent does not have', `${PODS}/alive/log?previous=true`, 400, 'no previous container'],
    [
      'a log that the agent cannot read',
      `${PODS}/alive/log?limitBytes=1`,
      502,
      /the node answers 500: the disk is gone/,
    ],
    [
      'a log on a node that does not answer',
      `${PODS}/dead/log`,
      503,
      /dial tcp 127\.0\.0\.1:1: connect: connection refused/,
    ],
    ['a log on a node without addresses', `${PODS}/nowhere/log`, 503, /no preferred addresses found/],
    ['a log on a node that does not exist', `${PODS}/missing/log`, 404, 'nodes "missing" not found'],
    ['a log of a pod without a node', `${PODS}/homeless/log`, 204, ''],
    ['an invalid number', `${PODS}/alive/log?tailLines=x`, 400, /ParseInt/],
    ['an invalid time', `${PODS}/alive/log?sinceTime=yesterday`, 400, /sinceTime/],
    [
      'a limit of zero bytes',
      `${PODS}/alive/log?limitBytes=0`,
      422,
      /limitBytes: Invalid value: 0: must be greater than 0/,
    ],
    ['exec without an upgrade', `${PODS}/alive/exec?command=ls`, 400, 'Upgrade request required'],
    ['an invalid port', `${PODS}/alive/portforward?ports=0`, 400, /not a port/],
    ['a proxy to a node on the machine of the server', '/api/v1/nodes/alive/proxy/', 400, 'address not allowed'],
    ['a proxy to an invalid node name', '/api/v1/nodes/ftp:alive:1/proxy/', 400, 'invalid node request "ftp:alive:1"'],
    ['a proxy to a pod without an address', `${PODS}/alive/proxy/`, 400, 'address not allowed'],
    [
      'a proxy to a service without endpoints',
      `${SERVICES}/s:web/proxy/`,
      503,
      'no endpoints available for service "s:web"',
    ],
    [
      'a proxy to a port that the service does not have',
      `${SERVICES}/s:81/proxy/`,
      503,
      'no service port 81 found for service "s"',
    ],
  ];
  for (const [what, target, status, message] of table) {
    it(`answer ${status} for ${what}`, async () => {
      const answer = await replica.call('GET', target, { headers: { Accept: 'text/plain' } });
      assert.equal(answer.status, status, answer.text);
      const text = answer.json === undefined ? answer.text : answer.json.message;
      if (typeof message === 'string') assert.equal(text, message);
      else assert.match(text, message);
    });
  }

  it('count whether agents are verified, and how often verification fails', async () => {
    const by = makeAuthority('untrusted authority');
    const { pem: cert, keyPem: key } = makeCertificate({
      subject: [[CN, 'foreign']],
      by,
      hosts: ['127.0.0.1'],
      usages: [SERVER_AUTH],
      from: -1,
      to: 1,
    });
    const foreign = https.createServer({ cert, key }, (_, response) => response.end('a foreign line\n'));
    await once(foreign.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port } = foreign.address() as AddressInfo;
      const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }];
      const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: port } } };
      await send('POST', '/api/v1/nodes', { metadata: { name: 'foreign' } });
      const patch = { raw: JSON.stringify({ status }), headers: { 'Content-Type': 'application/merge-patch+json' } };
      assert.equal((await replica.call('PATCH', '/api/v1/nodes/foreign/status', patch)).status, 200);
      const spec = { nodeName: 'foreign', containers: [{ name: 'c', image: 'i' }] };
      await send('POST', PODS, { metadata: { name: 'foreign' }, spec });
      const family = 'orch_apiserver_pod_logs_pods_logs';
      const counts = async (): Promise<Record<string, number>> => {
        const { text } = await replica.call('GET', '/metrics');
        const lines = text.split('\n').filter((line) => line.startsWith(family));
        return Object.fromEntries(
          lines.map((line) => [line.slice(family.length, line.indexOf(' ')), Number(line.split(' ')[1])]),
        );
      };
      const before = await counts();
      assert.equal((await replica.call('GET', `${PODS}/foreign/log`)).status, 503);
      const believing = await replica.call('GET', `${PODS}/foreign/log?insecureSkipTLSVerifyBackend=true`);
      assert.equal(believing.text, 'a foreign line\n');
      const after = await counts();
      const more = Object.keys(after).map((name) => [name, after[name]! - (before[name] ?? 0)]);
      assert.deepEqual(Object.fromEntries(more), {
        _backend_tls_failure_total: 1,
        '_insecure_backend_total{usage="enforce_tls"}': 1,
        '_insecure_backend_total{usage="skip_tls_allowed"}': 1,
      });
    } finally {
      foreign.closeAllConnections();
      foreign.close();
    }
  });

  it('request only known parameters from the agent', async () => {
    asked.length = 0;
    await replica.call('GET', `${PODS}/alive/log?timestamps&sinceSeconds=5&follow=0&unknown=1`);
    assert.deepEqual(asked, ['/containerLogs/default/alive/c?timestamps=true&sinceSeconds=5']);
  });

  /** Asks for an upgrade. Resolves to the answer, the connection, and the bytes that arrived with the answer. */
  async function upgraded(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<[answer: IncomingMessage, socket: Socket, head: Buffer]> {
    const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => pki.read(name));
    const request = https.request({
      ...{ host: '127.0.0.1', port: replica.port, servername: 'localhost', ca: ca!, cert: cert!, key: key! },
      ...{ method, path, headers: { ...headers, Connection: 'Upgrade' } },
    });
    request.end();
    return (await once(request, 'upgrade')) as [IncomingMessage, Socket, Buffer];
  }

  it('connect a client with a process in a pod', async () => {
    asked.length = 0;
    const exec = `${PODS}/alive/exec?command=sh&command=-c&stdin=true&stdout=true`;
    const [answer, socket] = await upgraded('POST', exec, { ...id.headers, Upgrade: 'SPDY/3.1' });
    assert.equal(answer.statusCode, 101);
    socket.write('ping');
    const [echo] = (await once(socket, 'data')) as [Buffer];
    assert.equal(String(echo), 'ping');
    assert.deepEqual(asked, ['POST /exec/default/alive/c?input=1&output=1&command=sh&command=-c']);
    assert.deepEqual(await laterRecorded('exec', 'ResponseStarted'), [['ResponseStarted', 101]]);
    socket.destroy();
    assert.deepEqual(await laterRecorded('exec', 'ResponseComplete'), [
      ['ResponseStarted', 101],
      ['ResponseComplete', 101],
    ]);
  });

  const messages: readonly [what: string, protocol: string | undefined, log: string, sent: string][] = [
    ['bytes', undefined, 'alive', '82 00, 82 07 a line, 88 02 \x03\xe8'],
    ['text in base64', 'base64.binary.example.com', 'alive', '81 00, 81 0c YSBsaW5lCg==, 88 02 \x03\xe8'],
  ];
  for (const [what, protocol, pod, sent] of messages)
    it(`send a log over a web socket, as ${what}`, async () => {
      const [answer, socket, head] = await upgraded('GET', `${PODS}/${pod}/log?follow=true`, {
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...(protocol === undefined ? {} : { 'Sec-WebSocket-Protocol': protocol }),
      });
      assert.equal(answer.headers['sec-websocket-protocol'], protocol);
      let bytes = head;
      socket.on('data', (piece: Buffer) => (bytes = Buffer.concat([bytes, piece])));
      await once(socket, 'end');
      socket.destroy();
      const frames: string[] = [];
      for (let at = 0; at < bytes.length; at += 2 + bytes[at + 1]!) {
        const [first, length] = [bytes[at]!, bytes[at + 1]!];
        const payload = bytes.subarray(at + 2, at + 2 + length).toString('latin1');
        frames.push(
          `${bytes
            .subarray(at, at + 2)
            .toString('hex')
            .replace(/(..)(..)/, '$1 $2')} ${payload}`.trimEnd(),
        );
        assert.ok(first > 0x80);
      }
      assert.equal(frames.join(', '), sent);
    });

  it('record the start and the end of a stream in the audit log', async () => {
    assert.equal((await replica.call('GET', `${PODS}/alive/log`, id)).text, 'a line\n');
    assert.deepEqual(await laterRecorded('log', 'ResponseComplete'), [
      ['ResponseStarted', 200],
      ['ResponseComplete', 200],
    ]);
  });
});
