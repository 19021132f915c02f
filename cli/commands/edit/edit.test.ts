import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseJson } from '#client/json.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { wordsOf } from '#e2e/comparison/compare.ts';
import { parseYamlDocuments } from '../../manifests/parse-yaml.ts';
import { type Outcome, runLine } from '../../testing/run-line.ts';

const configMaps = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
const map = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: b}\n';

describe('edit', () => {
  let folder: string;
  let server: FakeServer;
  let key: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'editing-'));
    const editor = path.join(folder, 'editor');
    writeFileSync(editor, '#!/bin/sh\ncp "$1" "$SEEN"\nsed -i "$CHANGE" "$1"\n');
    chmodSync(editor, 0o755);
  });
  after(() => rmSync(folder, { recursive: true }));
  beforeEach(() => {
    server = new FakeServer([configMaps]);
    key = server.naming.key('ctl/last-applied-configuration');
  });

  /** Runs a command line whose editor changes the text with this sed program. */
  function run(line: string, change: string, input = ''): Promise<Outcome> {
    const env = {
      PATH: process.env['PATH'],
      EDITOR: path.join(folder, 'editor'),
      SEEN: path.join(folder, 'seen'),
      CHANGE: change,
    };
    return runLine(wordsOf(line), { client: server.client, env, input });
  }
  const seen = () => readFileSync(path.join(folder, 'seen'), 'utf8');

  describe('create --edit', () => {
    const cases: readonly (readonly [line: string, change: string, stdout: string, stderr: RegExp, data?: object])[] = [
      ['create -f - --edit', 's/a: b/a: c/', 'configmap/m created\n', /^$/, { a: 'c' }],
      ['create -f - --edit -o json --dry-run=client', 's/"b"/"c"/', '', /^$/],
      ['create -f - --edit', 's/x/y/', '', /^Edit cancelled, no changes made\.\n$/],
      [
        'create -f - --edit',
        '/./d',
        '',
        /^error: configmaps "m" is invalid\n(?:.*\n)error: Edit cancelled, no valid changes were saved\.\n$/,
      ],
      [
        'create -f - --edit',
        's/^data:$/data: [/',
        '',
        /^error: configmaps "m" is invalid\n.*\nerror: Edit cancelled, no valid changes were saved\.\n$/s,
      ],
    ];
    for (const [line, change, stdout, stderr, data] of cases)
      it(`${line}, by ${change}`, async () => {
        const outcome = await run(line, change, map);
        if (stdout !== '') assert.equal(outcome.stdout, stdout, outcome.stderr);
        assert.match(outcome.stderr, stderr);
        const [, copy] = /stored to "(.*)"\n/.exec(outcome.stderr) ?? [];
        if (copy !== undefined) rmSync(path.dirname(copy), { recursive: true });
        assert.deepEqual(
          server.all(configMaps).map((each) => each['data' as never]),
          data === undefined ? [] : [data],
        );
      });
  });

  for (const [flag, ends] of [
    ['', false],
    [' --windows-line-endings', true],
  ] as const)
    it(`shows the requested line ends:${flag || ' the default'}`, async () => {
      const { code } = await run(`create -f - --edit${flag}`, 's/a: b/a: c/', map);
      assert.equal(code, 0);
      assert.equal(/^data:\r\n/m.test(seen()), ends);
      assert.deepEqual(server.get(configMaps, 'm', 'default')!['data' as never], { a: 'c' });
    });

  describe('edit of several objects', () => {
    beforeEach(() => {
      for (const [name, a] of [
        ['m', 'x'],
        ['n', 'b'],
        ['o', 'x'],
      ] as const)
        server.put(configMaps, { metadata: { name, namespace: 'default' }, data: { a } } as never);
    });

    it('reports which objects were not changed', async () => {
      const { stdout, stderr } = await run('edit configmaps/m configmaps/n configmaps/o', 's/a: b/a: c/');
      assert.equal(stdout, 'configmap/m skipped\nconfigmap/n edited\nconfigmap/o skipped\n');
      assert.equal(stderr, '');
    });

    it('shows the objects as one list', async () => {
      await run('edit configmaps/m configmaps/n', '');
      const documents = parseYamlDocuments(seen(), '') as { kind: string; items: { data: object }[] }[];
      assert.deepEqual(
        documents.map(({ kind, items }) => [kind, items.map(({ data }) => data)]),
        [['List', [{ a: 'x' }, { a: 'b' }]]],
      );
      assert.equal(seen().match(/^# Please edit/gm)?.length, 1);
    });

    it('ignores an object that is removed from the list', async () => {
      const withoutFirst = ':a;N;$!ba;s/- apiVersion.*\\n- apiVersion/- apiVersion/;s/a: b/a: c/';
      const outcome = await run('edit configmaps/m configmaps/n', withoutFirst);
      assert.deepEqual(outcome, { stdout: 'configmap/n edited\n', stderr: '', code: 0 });
      assert.equal(server.writes.length, 1);
    });

    it('does not open the editor if one of the objects does not exist', async () => {
      const { code, stdout, stderr } = await run('edit configmaps/n configmaps/nope', 's/a: b/a: c/');
      assert.deepEqual([code, stdout, server.writes], [1, '', []]);
      assert.match(stderr, /"nope" not found/);
    });

    it('reports that there are no objects', async () => {
      const { code, stderr } = await run('edit configmaps -n empty', '');
      assert.deepEqual([code, stderr], [1, 'error: edit cancelled, no objects found\n']);
    });

    it('refuses an object that was not in the list', async () => {
      const { code, stderr } = await run('edit configmaps/m configmaps/n', 's/uid: .*/uid: other/');
      const [, copy] = /stored to "(.*)"\n/.exec(stderr)!;
      rmSync(path.dirname(copy!), { recursive: true });
      assert.equal(code, 1);
      assert.match(stderr, /error: no original object found for ConfigMap "m": its uid is new\n$/);
    });

    it('prints all objects after the edit', async () => {
      const { stdout } = await run('edit configmaps/m configmaps/n -o yaml', 's/a: b/a: c/');
      assert.deepEqual(stdout.match(/^ {2}a: .*/gm), ['  a: x', '  a: c']);
    });

    it('reports only once that nothing was changed', async () => {
      const { stdout, stderr } = await run('edit configmaps/m configmaps/o', 's/a: b/a: c/');
      assert.deepEqual([stdout, stderr], ['', 'Edit cancelled, no changes made.\n']);
    });
  });

  it("shows the server's error if the object cannot be created", async () => {
    server.put(configMaps, { metadata: { name: 'm', namespace: 'default' } });
    const { code, stderr } = await run('create -f - --edit', 's/a: b/a: c/', map);
    assert.equal(code, 1);
    const [, copy, said] = /stored to "(.*)"\n(.*)\n$/.exec(stderr) ?? [];
    rmSync(path.dirname(copy!), { recursive: true });
    assert.match(said!, /^Error from server \(AlreadyExists\): .* already exists$/);
  });

  it('keeps all digits of long numbers, also in --output-patch', async () => {
    server.put(configMaps, {
      metadata: { name: 'm', namespace: 'default' },
      data: parseJson('9007199254740993'),
    } as never);
    const { code, stdout, stderr } = await run(
      'edit configmaps m --output-patch',
      's/^data: .*/data: 9007199254740995/',
    );
    assert.equal(code, 0, stderr);
    assert.match(seen(), /^data: 9007199254740993$/m);
    assert.equal(stdout, 'Patch: {"data":9007199254740995}\nconfigmap/m edited\n');
  });

  describe('apply edit-last-applied', () => {
    const applied =
      '{"apiVersion":"v1","data":{"a":"b"},"kind":"ConfigMap","metadata":{"annotations":{},"name":"m"}}\n';
    const kept = () => server.get(configMaps, 'm', 'default')!.metadata.annotations?.[key];
    const put = (annotations: Record<string, string>) =>
      server.put(configMaps, { metadata: { name: 'm', namespace: 'default', annotations } });

    it('shows the last applied configuration and stores the edited one', async () => {
      put({ [key]: applied });
      const outcome = await run('apply edit-last-applied configmap/m', 's/a: b/a: z/');
      assert.deepEqual(outcome, { stdout: 'configmap/m edited\n', stderr: '', code: 0 });
      assert.equal(kept(), applied.replace('"b"', '"z"'));
      assert.match(
        seen(),
        /^# Please edit the 'last-applied-configuration' annotations below\.\n#.*\ndata:\n {2}a: b\n/s,
      );
    });
    it('changes nothing if nothing is edited', async () => {
      put({ [key]: applied });
      const outcome = await run('apply edit-last-applied configmap m -o json', 's/x/y/');
      assert.deepEqual(outcome, { stdout: '', stderr: 'Edit cancelled, no changes made.\n', code: 0 });
      assert.deepEqual(server.writes, []);
    });
    it('fails without a last applied configuration', async () => {
      put({ other: 'x' });
      const { stderr, code } = await run('apply edit-last-applied configmap/m', '');
      assert.match(stderr, /^error: no last-applied-configuration annotation found on resources, to create/);
      assert.equal(code, 1);
    });
    it('fails if the annotation is not valid', async () => {
      put({ [key]: 'no object' });
      const { stderr, code } = await run('apply edit-last-applied configmap/m', '');
      assert.match(stderr, /^error: /);
      assert.equal(code, 1);
    });
    it('fails if the object does not exist', async () => {
      const { stderr } = await run('apply edit-last-applied configmap/nope', '');
      assert.match(stderr, /\(NotFound\)/);
    });
  });
});
