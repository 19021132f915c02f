import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeConnectionFile } from '#program/connection/write-connection-file.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { type Replica, startReplica, temporaryPki } from '../replica.ts';
import { Terminal } from './terminal.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';

/** The number of objects in a file whose apply is interrupted. */
const MANY = 60;

interface ConfigMap {
  readonly metadata: { readonly name: string; readonly annotations?: Record<string, string> };
  readonly data?: Record<string, string>;
}

describe('orchctl in a terminal', function () {
  this.timeout(180_000);
  const pki = temporaryPki();
  const stops: (() => unknown)[] = [];
  let replica: Replica;
  let terminal: Terminal;

  before(async () => {
    const etcd = await EtcdProcess.start();
    stops.push(() => etcd.stop());
    replica = await startReplica(pki, etcd.endpoint);
    stops.push(() => replica.stop());
  });

  after(async () => {
    for (const stop of stops.reverse()) await stop();
  });

  beforeEach(() => {
    const file = pki.file('terminal.yaml');
    writeConnectionFile(file, 'terminal', {
      server: `https://127.0.0.1:${replica.port}`,
      ca: pki.read('ca.crt'),
      clientCertificate: pki.read('admin.crt'),
      clientKey: pki.read('admin.key'),
    });
    terminal = new Terminal(file);
  });

  afterEach(() => terminal.stop());

  const put = async (name: string, data: Record<string, string>): Promise<void> => {
    const body = { metadata: { name }, data };
    const { status } = await replica.request('PUT', `${MAPS}/${name}`, body);
    if (status === 404) assert.equal((await replica.request('POST', MAPS, body)).status, 201);
    else assert.equal(status, 200);
  };

  const read = async (name: string): Promise<ConfigMap> =>
    JSON.parse((await replica.request('GET', `${MAPS}/${name}`)).body) as ConfigMap;

  it('get -w shows rows as they arrive and marks changed cells until Ctrl-C', async () => {
    await put('watched', { a: '1' });
    terminal.type('orchctl get cm watched -w', 'Enter');
    await terminal.shows(/^watched +1 /m);
    await put('watched', { a: '1', b: '2' });
    await terminal.shows(/^watched +2 /m);
    const rows = terminal.screen(true).replaceAll('\u001b', '^').split('\n');
    const [before, after] = rows.filter((line) => line.startsWith('watched'));
    assert.doesNotMatch(before!, /\^/);
    assert.match(after!, /^watched +\^\[[0-9;]+m2\^\[/);
    terminal.type('', 'C-c');
    await terminal.ended();
  });

  it('edit stores the file that an editor has changed', async () => {
    await put('edited', { a: 'one' });
    const editor = terminal.script('editor', 'sed -i s/one/two/ "$1"');
    terminal.type(`EDITOR=${editor} orchctl edit cm edited`, 'Enter');
    await terminal.shows(/^configmap\/edited edited$/m);
    assert.equal(await terminal.ended(), 0);
    assert.deepEqual((await read('edited')).data, { a: 'two' });
    assert.deepEqual(terminal.leftBehind(), []);
  });

  it('edit shows the reason of a refusal in an editor that uses the terminal', async () => {
    await put('refused', { a: 'one' });
    const editor = terminal.script(
      'editor',
      'head -n 5 "$1"; printf "what now? "; read -r answer; sed -i "s/$answer/" "$1"',
    );
    terminal.type(`EDITOR=${editor} orchctl edit cm refused`, 'Enter');
    await terminal.shows(/what now\? $/m);
    terminal.type('a: one/a: [one]', 'Enter');
    await terminal.shows(/was not valid[\s\S]*what now\? $/m);
    terminal.type('a: \\[one\\]/a: three', 'Enter');
    await terminal.shows(/^configmap\/refused edited$/m);
    assert.deepEqual((await read('refused')).data, { a: 'three' });
  });

  it('Tab completes commands, types, names and flags', async () => {
    await put('completed-by-tab', {});
    terminal.type('source <(orchctl completion bash)', 'Enter');
    await terminal.shows(/^\$ ?\n*$/m);
    for (const [typed, completed] of [
      ['orchctl api-res', 'orchctl api-resources'],
      ['orchctl get configm', 'orchctl get configmaps'],
      ['orchctl get cm completed-', 'orchctl get cm completed-by-tab'],
      ['orchctl get cm --field-sel', 'orchctl get cm --field-selector'],
    ] as const) {
      terminal.type(typed, 'Tab');
      await terminal.shows(new RegExp(`^\\$ ${completed}`, 'm'));
      terminal.type('', 'C-u');
    }
  });

  it('wait reports each object when its condition is met', async () => {
    for (const name of ['first', 'second']) await put(name, { phase: 'begun' });
    terminal.type("orchctl wait --for=jsonpath='{.data.phase}'=done cm/first cm/second", 'Enter');
    await sleep(1000);
    await put('first', { phase: 'done' });
    assert.doesNotMatch(await terminal.shows(/^configmap\/first condition met$/m), /second condition met/);
    await put('second', { phase: 'done' });
    await terminal.shows(/^configmap\/second condition met$/m);
    assert.equal(await terminal.ended(), 0);
  });

  describe('Ctrl-C', () => {
    it('ends a wait', async () => {
      await put('waited', {});
      terminal.type('orchctl wait --for=delete cm/waited --timeout=10m', 'Enter');
      await sleep(1500);
      terminal.type('', 'C-c');
      assert.equal(await terminal.ended(), 130);
      assert.equal((await read('waited')).metadata.name, 'waited');
    });

    it('in an editor changes nothing and leaves no file', async () => {
      await put('unedited', { a: 'one' });
      const editor = terminal.script('editor', 'sed -i s/one/two/ "$1"; echo opened; sleep 60');
      terminal.type(`EDITOR=${editor} orchctl edit cm unedited`, 'Enter');
      await terminal.shows(/^opened$/m);
      terminal.type('', 'C-c');
      assert.notEqual(await terminal.ended(), 0);
      assert.deepEqual((await read('unedited')).data, { a: 'one' });
      assert.deepEqual(terminal.leftBehind(), []);
    });

    it('at a prompt deletes nothing', async () => {
      await put('kept', {});
      terminal.type('orchctl delete cm kept -i', 'Enter');
      await terminal.shows(/\(y\/n\)/);
      terminal.type('', 'C-c');
      assert.notEqual(await terminal.ended(), 0);
      assert.equal((await read('kept')).metadata.name, 'kept');
    });

    it('while input is typed creates nothing', async () => {
      terminal.type('orchctl create -f -', 'Enter');
      await sleep(1000);
      terminal.type('{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"typed"}}', 'Enter');
      terminal.type('', 'C-c');
      assert.equal(await terminal.ended(), 130);
      assert.equal((await replica.request('GET', `${MAPS}/typed`)).status, 404);
    });

    for (const afterMs of [100, 400, 600, 800, 1200, 2000])
      it(`after ${afterMs} ms of an apply leaves complete objects, and the next apply continues`, async () => {
        const names = Array.from({ length: MANY }, (_, n) => `many-${afterMs}-${n}`);
        const objects = names.map((name) => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name },
          data: { a: 'x'.repeat(10_000), name },
        }));
        const file = path.join(terminal.folder, 'many.json');
        writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }));
        const stored = async (): Promise<ConfigMap[]> => {
          const { items } = JSON.parse((await replica.request('GET', MAPS)).body) as { items: ConfigMap[] };
          return items.filter(({ metadata }) => metadata.name.startsWith(`many-${afterMs}-`));
        };
        terminal.type(`orchctl apply -f ${file}`, 'Enter');
        await sleep(afterMs);
        terminal.type('', 'C-c');
        await terminal.ended();
        const early = await stored();
        for (const { metadata, data } of early) {
          assert.deepEqual(data, { a: 'x'.repeat(10_000), name: metadata.name });
          assert.match(Object.keys(metadata.annotations ?? {}).join(), /last-applied-configuration/);
        }
        // The stored objects are the first ones of the file.
        assert.deepEqual(new Set(early.map(({ metadata }) => metadata.name)), new Set(names.slice(0, early.length)));
        terminal.type(`orchctl apply -f ${file}`, 'Enter');
        await terminal.shows(new RegExp(`^configmap/many-${afterMs}-${MANY - 1} created$|unchanged$`, 'm'));
        assert.equal(await terminal.ended(), 0);
        assert.equal((await stored()).length, MANY);
      });
  });
});
