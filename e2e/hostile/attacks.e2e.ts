import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { createNaming } from '#base/naming/create-naming.ts';
import { CLIENT_AUTH, CN, type MadeCertificate, makeCertificate } from '#base/x509/make-certificate.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

/** The number of objects. A list of them has about 18 MB. */
const OBJECTS = 20;

/** The number of requests of one user that read at the same time. */
const READING = 100;

/** The largest resident memory of the server during an attack, in bytes. It is several times the usual need. */
const MEMORY = 1.5 * 2 ** 30;

/**
 * The longest wait of another client during an attack, in milliseconds. It is many times as long as on an idle machine.
 */
const PATIENCE = 30_000;

describe('attacks on one replica', function () {
  this.timeout(300_000);
  const naming = createNaming('orch');
  const pki = temporaryPki();
  const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => pki.read(name));
  /** A user with rights in one namespace. */
  const token = /^([^,]*),bob,/m.exec(pki.read('tokens.csv'))?.[1] ?? '';
  const admin: ConnectionOptions = { ca, cert, key, servername: 'localhost' };
  const anybody: ConnectionOptions = { ca, servername: 'localhost' };
  const bearer = `Authorization: Bearer ${token}\r\n`;
  const sockets = new Set<TLSSocket>();
  let etcd: EtcdProcess;
  let replica: Replica;
  let worst = 0;
  let probed = 0;
  let failed = 0;
  let stopProbe = async () => {};

  before(async () => {
    etcd = await EtcdProcess.start();
    const policy = pki.file('audit-policy.json');
    const rules = [{ level: 'RequestResponse', resources: [{ group: '', resources: ['configmaps'] }] }];
    writeFileSync(policy, JSON.stringify({ apiVersion: naming.apiVersion('audit', 'v1'), kind: 'Policy', rules }));
    replica = await startReplica(pki, etcd.endpoint, {
      flags: [
        `--audit-policy-file=${policy}`,
        `--audit-log-path=${pki.file('audit.log')}`,
        `--max-requests-inflight=${READING}`,
      ],
    });
    const group = naming.group('rbac.authorization');
    const binding = {
      metadata: { name: 'bob' },
      roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: group, kind: 'User', name: 'bob' }],
    };
    const path = `/apis/${group}/v1/namespaces/default/rolebindings`;
    assert.equal((await replica.request('POST', path, binding)).status, 201);
    for (let i = 0; i < OBJECTS; i++) {
      const body = { metadata: { name: `m${i}` }, data: { k: randomBytes(650_000).toString('base64') } };
      assert.equal((await replica.request('POST', MAPS, body)).status, 201);
    }
  });

  after(async () => {
    await replica?.stop();
    await etcd?.stop();
  });

  beforeEach(() => {
    // From here on, the system records the process's peak memory again.
    writeFileSync(`/proc/${replica.pid}/clear_refs`, '5');
    worst = 0;
    probed = 0;
    failed = 0;
    let stop = false;
    const probing = (async () => {
      while (!stop) {
        const started = performance.now();
        probed++;
        // If the machine is too small for all these programs, etcd may seem to answer too late.
        if ((await probe()) !== 200) failed++;
        worst = Math.max(worst, performance.now() - started);
        await sleep(50);
      }
    })();
    // If the probe failed, the test reports it when it stops the probe.
    probing.catch(() => {});
    stopProbe = () => {
      stop = true;
      return probing;
    };
  });

  afterEach(async () => {
    try {
      await stopProbe();
    } finally {
      for (const socket of sockets) socket.destroy();
      sockets.clear();
    }
    const peak = Number(/VmHWM:\s*(\d+)/.exec(readFileSync(`/proc/${replica.pid}/status`, 'utf8'))?.[1]) * 1024;
    console.log(`      at most ${(peak / 2 ** 20).toFixed(0)} MiB, and ${worst.toFixed(0)} ms for others`);
    assert.ok(peak < MEMORY, `${(peak / 2 ** 20).toFixed(0)} MiB`);
    assert.ok(worst < PATIENCE, `another client waited ${worst} ms`);
    assert.ok(failed <= 1 + probed / 10, `${failed} of ${probed} probes failed`);
    const errors = readFileSync(replica.log, 'utf8')
      .split('\n')
      .filter((line) => /"code":500|"level":"fatal"/.test(line));
    assert.deepEqual(errors, [], 'nothing unexpected in the log');
  });

  /** Sends the probe of a load balancer, without credentials. Resolves to the status. */
  function probe(): Promise<number> {
    return new Promise((resolve, reject) => {
      const request = https.get(
        { host: '127.0.0.1', port: replica.port, path: '/livez', agent: false, ...anybody },
        (response) => {
          response.resume();
          response.once('end', () => resolve(response.statusCode ?? 0));
        },
      );
      request.once('error', reject);
    });
  }

  function open(who: ConnectionOptions): TLSSocket {
    const socket = connect({ host: '127.0.0.1', port: replica.port, ...who });
    sockets.add(socket);
    return socket.on('error', () => {});
  }

  /** Sends data and reads nothing. */
  function unread(who: ConnectionOptions, text: string): void {
    open(who).pause().write(text);
  }

  /** Sends data, and returns the codes of all answers until the connection ends. */
  function answers(who: ConnectionOptions, text: string): Promise<string[]> {
    const socket = open(who);
    socket.write(text);
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    return new Promise((resolve) => {
      socket.once('close', () => {
        const heard = Buffer.concat(chunks).toString('latin1');
        resolve([...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, code]) => code ?? ''));
      });
    });
  }

  const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
  const last = (path: string, headers = '') => get(path, `Connection: close\r\n${headers}`);

  it('certificates of many CAs that could have signed each other', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'secp521r1' });
    const made = (by?: MadeCertificate) =>
      makeCertificate({ subject: [[CN, 'same']], ca: true, key: privateKey, ...(by && { by }) });
    const circle = Array.from({ length: 7 }, () => made());
    const leaf = makeCertificate({ subject: [[CN, 'm']], by: circle[0]!, usages: [CLIENT_AUTH] });
    const chain = [leaf, ...circle].map(({ pem }) => pem).join('');
    const all = Array.from({ length: 10 }, () => answers({ ...anybody, cert: chain, key: leaf.keyPem }, last('/api')));
    for (const codes of await Promise.all(all)) assert.deepEqual(codes, ['401']);
  });

  it('bodies that are cheap to send and expensive to parse', async () => {
    const pieces: readonly [before: string, piece: string, after: string][] = [
      ['a: [', 'a,', 'a]'],
      ['[[[', 'a,', ''],
      ['', '? a\n', ''],
      ['a: &a 1\nb: [', '*a,', '*a]'],
      ['', '%a\n', '---\na: 1'],
      ['{', '"a":1,', '"a":1}'],
      ['{"a":[', '{},', '{}]}'],
      ['{"a":[', '1.0,', '1]}'],
    ];
    const bodies = pieces.map(([before, piece, after]) => before + piece.repeat(3_000_000 / piece.length) + after);
    bodies.push(`{${Array.from({ length: 250_000 }, (_, i) => `"k${i}":1`).join()}}`);
    for (const type of ['yaml', 'json', 'apply-patch+yaml', 'strategic-merge-patch+json']) {
      const [method, path] = type.includes('patch') ? ['PATCH', `${MAPS}/m0?fieldManager=x`] : ['POST', MAPS];
      for (const body of bodies) {
        const head = `${bearer}Connection: close\r\nContent-Type: application/${type}\r\nContent-Length: ${body.length}\r\n`;
        const text = `${method} ${path} HTTP/1.1\r\nHost: x\r\n${head}\r\n${body}`;
        assert.match((await answers(anybody, text)).join(), /^(200|400|413|422)$/, type);
      }
    }
  });

  it('lists that the client never reads: health checks still get answers', async () => {
    for (let i = 0; i < READING + 20; i++) unread(anybody, get(MAPS, bearer));
    // By then, more requests have started than the server has room for.
    await sleep(3000);
    for (let i = 0; i < 20; i++) {
      assert.notEqual(await probe(), 429);
      assert.notEqual((await answers(anybody, last('/readyz', bearer)))[0], '429');
    }
  });

  it('compressed lists that the client never reads', async () => {
    for (let i = 0; i < 40; i++) unread(admin, get(`${MAPS}?timeout=1s`, 'Accept-Encoding: gzip\r\n'));
    await sleep(8000);
  });

  it('pipelined requests for large responses that the client never reads', async () => {
    unread(admin, get('/openapi/v2').repeat(4000));
    for (let i = 0; i < 10; i++) {
      unread(anybody, get('/openapi/v2', bearer).repeat(90));
      unread(admin, get('/metrics').repeat(90));
      unread(admin, get(`${MAPS}/m0`).repeat(90));
    }
    await sleep(3000);
  });

  it('upgrade requests before, after and between other requests', async () => {
    const path = '/api/v1/namespaces/default/pods/x/exec';
    const upgrade = `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n`;
    for (const who of [admin, anybody]) {
      for (const text of [upgrade.repeat(100), get('/livez') + upgrade, get(`${MAPS}?watch=1`) + upgrade.repeat(3)]) {
        for (let i = 0; i < 10; i++) unread(who, text);
      }
    }
    await sleep(1000);
  });

  it('__proto__, constructor and similar names in paths', async () => {
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const paths = [`/api/v1/${name}`, `/api/v1/watch/${name}`, `/api/v1/namespaces/x/${name}`, `/apis/${name}/v1/x`];
      const all = paths.flatMap((path) => [answers(anybody, last(path)), answers(admin, last(path))]);
      for (const codes of await Promise.all(all)) assert.match(codes.join(), /^40[134]$/, name);
    }
  });

  it('connections that break in the middle of requests', async () => {
    const whole = get(MAPS, 'Accept-Encoding: gzip\r\n');
    const body = JSON.stringify({ metadata: { name: 'cut' }, data: { k: 'x'.repeat(100_000) } });
    const post = `POST ${MAPS} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    for (let i = 0; i < 60; i++) {
      const text = i % 2 === 0 ? whole : post.slice(0, 1 + Math.floor((post.length / 60) * (i + 1)));
      const socket = open(admin);
      socket.write(text);
      await sleep(i);
      socket.destroy();
    }
  });
});
