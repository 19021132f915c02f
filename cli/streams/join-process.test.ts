import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createNaming } from '#base/naming/create-naming.ts';
import { LightConnections } from '#client/http/light-connections.ts';
import { Transport } from '#client/http/transport.ts';
import type { StreamCaller } from '#client/streams/upgrade.ts';
import { FakeNode } from '#client/testing/fake-node.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { testPki } from '#server/testing/replica.ts';
import type { Invocation } from '../command-line/command.ts';
import { bytesOfKeys } from './detach-keys.ts';
import { joinProcess } from './join-process.ts';

const naming = createNaming('orch');

for (const webSockets of [true, false])
  describe(`attaching to a terminal process over ${webSockets ? 'web sockets' : 'SPDY'}`, () => {
    let node: FakeNode;
    let transport: Transport;

    before(async () => {
      const pki = testPki();
      node = await FakeNode.start({ naming, cert: pki.read('server.crt'), key: pki.read('server.key'), webSockets });
      const server = `https://127.0.0.1:${node.port}`;
      transport = new Transport({
        server,
        credentials: { get: async () => ({ tls: { insecure: true }, headers: {} }), refused: () => false },
        connections: new LightConnections(server),
      });
    });
    after(async () => {
      node.stop();
      await transport.close();
    });

    it('ends at the detach keys, after the process has received the earlier input', async () => {
      const modes: boolean[] = [];
      const input = Object.assign(new PassThrough(), { setRawMode: (raw: boolean) => void modes.push(raw) });
      const output = Object.assign(new PassThrough(), { columns: 80, rows: 24 });
      let seen = '';
      output.on('data', (data: Buffer) => (seen += data.toString()));
      const path = '/attach/default/pod/one?input=1&output=1&tty=1';
      const caller: StreamCaller = { naming, upgrade: (call) => transport.upgrade({ ...call, path }) };
      const invocation = {
        session: { client: async () => caller, settings: {} },
        io: { streams: { input, output, errors: new PassThrough() }, signal: new AbortController().signal },
      } as unknown as Invocation;
      const place = { subresource: 'attach', namespace: 'default', pod: 'pod', container: 'one' } as const;
      const joined = joinProcess(invocation, place, { stdin: true, tty: true }, bytesOfKeys('ctrl-x,q'));
      input.write('some ');
      await waitUntil('the input has come back', () => seen.includes('some '));
      input.write('q \x18 ');
      await waitUntil('keys in another order do nothing', () => seen.includes('q \x18 '));
      input.write('\x18');
      input.write('q and more');
      assert.equal(await joined, true);
      assert.ok(!seen.includes('more'));
      assert.deepEqual(modes, [true, false]);
      // The next reader gets the input that no process has read.
      input.end(' keys');
      assert.equal(await text(input), ' keys');
    });
  });
