import assert from 'node:assert/strict';
import { once } from 'node:events';
import net, { type AddressInfo, type Server } from 'node:net';
import { PassThrough, Readable, Writable } from 'node:stream';
import { createNaming } from '#base/naming/create-naming.ts';
import { testPki } from '#server/testing/replica.ts';
import { ApiError, ConnectionError, DeadlineError } from '../errors.ts';
import { LightConnections } from '../http/light-connections.ts';
import { Pools } from '../http/pools.ts';
import { Transport } from '../http/transport.ts';
import { FakeNode } from '../testing/fake-node.ts';
import { waitUntil } from '../testing/wait-until.ts';
import { openPortForward } from './port-forward.ts';
import { type ProcessStreams, remoteCommand } from './remote-command.ts';
import type { StreamCaller } from './upgrade.ts';

const naming = createNaming('orch');

for (const [webSockets, Connections] of [
  [true, Pools],
  [false, Pools],
  [true, LightConnections],
  [false, LightConnections],
] as const)
  describe(`streams over ${webSockets ? 'web sockets' : 'SPDY'} in ${Connections.name}`, function () {
    this.timeout(60_000);
    let node: FakeNode;
    let transport: Transport;
    let caller: StreamCaller;

    before(async () => {
      const pki = testPki();
      node = await FakeNode.start({ naming, cert: pki.read('server.crt'), key: pki.read('server.key'), webSockets });
      transport = new Transport({
        server: `https://127.0.0.1:${node.port}`,
        credentials: { get: async () => ({ tls: { insecure: true }, headers: {} }), refused: () => false },
        connections: new Connections(`https://127.0.0.1:${node.port}`),
      });
      caller = { naming, upgrade: (call) => transport.upgrade(call) };
    });
    after(async () => {
      node?.stop();
      await transport?.close();
    });

    /** The output of a process, and its end. */
    async function execute(command: readonly string[], streams: ProcessStreams = {}, signal?: AbortSignal) {
      const [out, err] = [collector(), collector()];
      const query = command.map((word) => `&command=${encodeURIComponent(word)}`).join('');
      const path = `/exec/default/pod/one?output=1&error=1${streams.stdin === undefined ? '' : '&input=1'}${query}`;
      const { code, status } = await remoteCommand(
        caller,
        { path, signal },
        { stdout: out.stream, stderr: err.stream, ...streams },
      );
      return { out: out.text(), err: err.text(), code, message: status.message };
    }

    function collector() {
      const pieces: Buffer[] = [];
      const stream = new Writable({
        write: (piece: Buffer, _, done) => {
          pieces.push(piece);
          done();
        },
      });
      return { stream, text: () => Buffer.concat(pieces).toString() };
    }

    const sh = (script: string) => ['sh', '-c', script];
    const table: [
      what: string,
      command: string[],
      input: string | undefined,
      out: string,
      err: string,
      code: number,
    ][] = [
      ['output', sh('echo a'), undefined, 'a\n', '', 0],
      [
        'standard output, standard error and the exit code',
        sh('echo a; echo b >&2; exit 3'),
        undefined,
        'a\n',
        'b\n',
        3,
      ],
      ['standard input and its end', ['cat'], 'hello', 'hello', '', 0],
      ['nothing if there is no input', ['cat'], '', '', '', 0],
      ['a large input', ['wc', '-c'], 'x'.repeat(3_000_000), '3000000\n', '', 0],
      ['an input that the command does not read completely', ['head', '-c', '2'], 'x'.repeat(3_000_000), 'xx', '', 0],
    ];
    for (const [what, command, input, out, err, code] of table)
      it(`transfer ${what}`, async () => {
        const stdin = input === undefined ? undefined : Readable.from([Buffer.from(input)], { objectMode: false });
        const end = await execute(command, stdin === undefined ? {} : { stdin });
        assert.deepEqual(
          { ...end, out: end.out.trimStart(), message: undefined },
          { out, err, code, message: undefined },
        );
      });

    it('transfer a large output completely', async () => {
      const { out } = await execute(['seq', '300000']);
      assert.equal(out.length, 1_988_895);
      assert.ok(out.endsWith('299999\n300000\n'));
    });

    it('report the error if the command could not start', async () => {
      const { code, message } = await execute(['/no/such/program']);
      assert.equal(code, undefined);
      assert.match(message ?? '', /no such file/);
    });

    it('send the size of a terminal', async () => {
      node.sizes.length = 0;
      const stdin = new PassThrough();
      const sizes = (async function* () {
        yield { columns: 80, rows: 24 };
      })();
      const ended = execute(['cat'], { stdin, sizes });
      await waitUntil('the size has come', () => node.sizes.length > 0);
      stdin.end();
      await ended;
      assert.deepEqual(
        node.sizes.map((text) => JSON.parse(text)),
        [{ Width: 80, Height: 24 }],
      );
    });

    it('stop a process from writing while its output is not read', async () => {
      let taken = 0;
      let goOn: (() => void) | undefined;
      const slow = new Writable({
        highWaterMark: 1024,
        write: (piece: Buffer, _, done) => {
          taken += piece.length;
          if (goOn === undefined) goOn = done;
          else done();
        },
      });
      node.taken = 0;
      const ended = execute(['head', '-c', '40000000', '/dev/zero'], { stdout: slow });
      await waitUntil('something has come', () => goOn !== undefined);
      // The buffers of the connection fill up, and then no more data is sent.
      await waitUntil('the node waits', async () => {
        const before = node.taken;
        await new Promise((resolve) => setTimeout(resolve, 100));
        return node.taken === before;
      });
      assert.ok(node.taken < 20_000_000, `${node.taken} bytes wait`);
      goOn!();
      assert.equal((await ended).code, 0);
      assert.equal(taken, 40_000_000);
    });

    it('end the process when the signal aborts', async () => {
      const stop = new AbortController();
      setTimeout(() => stop.abort(), 100);
      await assert.rejects(execute(['sleep', '60'], {}, stop.signal), { name: 'AbortError' });
    });

    it('report a broken connection', async () => {
      const stdout = new Writable({
        write: (_piece, _encoding, done) => {
          node.disconnect();
          done();
        },
      });
      await assert.rejects(execute(['sh', '-c', 'echo begun; exec sleep 60'], { stdout }), ConnectionError);
    });

    describe('to ports', () => {
      let echo: Server;
      before(async () => {
        echo = net.createServer({ allowHalfOpen: true }, (socket) => {
          socket.on('error', () => {});
          socket.pipe(socket);
        });
        echo.listen(0, '127.0.0.1');
        await once(echo, 'listening');
      });
      after(() => echo?.close());

      const path = '/portForward/default/pod';
      const port = () => (echo.address() as AddressInfo).port;

      it('carry many connections at the same time', async () => {
        const forward = await openPortForward(caller, { path });
        const answers = await Promise.all(
          Array.from({ length: 20 }, async (_, n) => {
            const { data, complaint } = await forward.connect(port());
            const text = `${n}`.repeat(50_000);
            data.end(text);
            let answer = '';
            for await (const piece of data as AsyncIterable<Buffer>) answer += piece.toString();
            return answer === text && (await complaint) === '';
          }),
        );
        assert.deepEqual(
          answers,
          Array.from({ length: 20 }, () => true),
        );
        await forward.close();
      });

      it('report the error of the node', async () => {
        const forward = await openPortForward(caller, { path });
        const { complaint, data } = await forward.connect(1);
        data.on('error', () => {});
        assert.match(await complaint, /error forwarding port 1: connect ECONNREFUSED/);
        await forward.close();
      });

      it('report that the connection is lost', async () => {
        const forward = await openPortForward(caller, { path });
        const { data } = await forward.connect(port());
        data.on('error', () => {});
        setTimeout(() => node.disconnect(), 50);
        await forward.lost;
        await assert.rejects(forward.connect(port()), ConnectionError);
      });
    });
  });

describe('stream connections to a faulty server', () => {
  const servers: Server[] = [];
  after(() => {
    for (const server of servers) server.close();
  });

  /** A server that gives every connection this answer, and a caller to this server. */
  async function start(answer: string | undefined): Promise<{ caller: StreamCaller; close: () => Promise<void> }> {
    const server = net.createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => answer !== undefined && socket.end(answer));
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const credentials = { get: async () => ({ tls: {}, headers: {} }), refused: () => false };
    const transport = new Transport({ server: `http://127.0.0.1:${port}`, credentials });
    return { caller: { naming, upgrade: (call) => transport.upgrade(call) }, close: () => transport.close() };
  }

  const head = (status: string, ...lines: string[]) => `HTTP/1.1 ${status}\r\n${lines.join('\r\n')}\r\n\r\n`;
  const forbidden = JSON.stringify({ kind: 'Status', code: 403, reason: 'Forbidden', message: 'no' });
  const table: [what: string, answer: string | undefined, error: (error: Error) => boolean][] = [
    ['hangs', undefined, (error) => error instanceof DeadlineError],
    ['answers with invalid data', 'nonsense\r\n\r\n', (error) => error instanceof ConnectionError],
    ['closes the connection', '', (error) => error instanceof ConnectionError],
    [
      'refuses',
      `${head('403 Forbidden', 'Content-Type: application/json', `Content-Length: ${forbidden.length}`)}${forbidden}`,
      (error) => error instanceof ApiError && error.code === 403,
    ],
    [
      'chooses another protocol',
      head('101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: other'),
      (error) => error instanceof ConnectionError,
    ],
  ];
  for (const [what, answer, expected] of table)
    it(`fail if the server ${what}`, async () => {
      const { caller, close } = await start(answer);
      await assert.rejects(remoteCommand(caller, { path: '/', timeoutMs: 300 }, {}), expected);
      await close();
    });
});
