import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect } from '#client/client.ts';
import { adminConnection } from '#client/testing/test-connection.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { wordsOf } from '#e2e/comparison/compare.ts';
import { writeConnectionFile } from '#program/connection/write-connection-file.ts';
import { aroundAll } from '#server/testing/around-all.ts';
import { type TestReplica, testPki } from '#server/testing/replica.ts';
import { type LineOptions, type Outcome, runLine } from './testing/run-line.ts';

describe('orchctl with a server of the neutral naming', function () {
  this.timeout(120_000);
  let replica: TestReplica;
  let home: string;
  let file: string;
  aroundAll((started) => {
    replica = started;
  });
  before(() => {
    home = mkdtempSync(path.join(tmpdir(), 'orchctl-'));
    file = path.join(home, 'admin.conf');
    const pki = testPki();
    writeConnectionFile(file, 'admin', {
      server: `https://127.0.0.1:${replica.port}`,
      ca: pki.read('ca.crt'),
      clientCertificate: pki.read('admin.crt'),
      clientKey: pki.read('admin.key'),
    });
  });
  after(() => rmSync(home, { recursive: true }));

  const run = (line: string, options: LineOptions = {}): Promise<Outcome> =>
    runLine(wordsOf(line), { home, env: { ORCHCONFIG: file }, ...options });

  /** The standard output of a command line that must succeed. */
  async function output(line: string, options?: LineOptions): Promise<string> {
    const { stdout, stderr, code } = await run(line, options);
    assert.equal(code, 0, stderr);
    return stdout;
  }

  async function post(target: string, body: unknown): Promise<{ uid: string; resourceVersion: string }> {
    const { json, status, text } = await replica.call('POST', target, { body });
    assert.equal(status, 201, text);
    return json.metadata;
  }

  async function patch(target: string, body: unknown, manager: string): Promise<string> {
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const { json, status, text } = await replica.call('PATCH', `${target}?fieldManager=${manager}`, { body, headers });
    assert.equal(status, 200, text);
    return json.metadata.resourceVersion;
  }

  const configMaps = '/api/v1/namespaces/default/configmaps';

  it('--at shows an earlier version, and history shows who changed an object', async () => {
    const { resourceVersion: first } = await post(configMaps, { metadata: { name: 'past' }, data: { a: '1' } });
    await patch(`${configMaps}/past`, { data: { a: '2' } }, 'somebody');
    await patch(`${configMaps}/past`, { data: { b: '3' } }, 'another');
    assert.equal(await output(`get cm past --at=${first} -o jsonpath={.data}`), '{"a":"1"}');
    assert.equal(await output(`get cm --at=${first} -o jsonpath={.items[*].data}`), '{"a":"1"}');
    assert.match(await output(`get cm past --at=${first}`), /^NAME +DATA +AGE\npast +1 /);
    assert.match((await run(`get cm past --at=${Number(first) - 1}`)).stderr, /configmaps "past" not found/);
    const rows = (await output('history cm past --no-headers'))
      .trim()
      .split('\n')
      .map((row) => row.split(/ {2,}/));
    assert.deepEqual(
      rows.map(([, , by, changed]) => [by, changed]),
      [
        ['another', '+data.b'],
        ['somebody', 'data.a'],
        [rows[2]![2], '(created)'],
      ],
    );
    assert.equal(rows[2]![0], first);
  });

  it('--at finds the version of an earlier time by the renew times of leases', async () => {
    const leases = '/apis/coordination.orch.io/v1/namespaces/default/leases';
    const renewed = (ago: number) => new Date(Date.now() - ago).toISOString().replace('Z', '000Z');
    await post(leases, { metadata: { name: 'clock' }, spec: { renewTime: renewed(3_600_000) } });
    await post(configMaps, { metadata: { name: 'moment' }, data: { a: 'then' } });
    await patch(`${leases}/clock`, { spec: { renewTime: renewed(1_800_000) } }, 'x');
    await patch(`${configMaps}/moment`, { data: { a: 'now' } }, 'x');
    await patch(`${leases}/clock`, { spec: { renewTime: renewed(1000) } }, 'x');
    assert.equal(await output('get cm moment --at=20m -o jsonpath={.data.a}'), 'now');
    assert.equal(await output('get cm moment --at=31m -o jsonpath={.data.a}'), 'then');
    assert.match((await run('get cm moment --at=2h')).stderr, /the server no longer keeps the version of 2h ago/);
  });

  it('diff shows how objects differ between two moments', async () => {
    const { resourceVersion: first } = await post(configMaps, { metadata: { name: 'between' }, data: { a: '1' } });
    const second = await patch(`${configMaps}/between`, { data: { a: '2' } }, 'x');
    const secrets = '/api/v1/namespaces/default/secrets';
    await post(secrets, { metadata: { name: 'between' }, stringData: { a: '1', b: '1' } });
    const third = await patch(`${secrets}/between`, { stringData: { a: '2' } }, 'x');
    await replica.call('DELETE', `${configMaps}/between`);
    const changes = async (line: string): Promise<readonly string[]> => {
      const { stdout, stderr, code } = await run(line, { env: { ORCHCONFIG: file, PATH: process.env['PATH'] } });
      assert.deepEqual([stderr, code], ['', stdout === '' ? 0 : 1]);
      return stdout.split('\n').filter((text) => /^[-+] +[ab]: /.test(text));
    };
    assert.deepEqual(await changes(`diff cm between --at=${first}..${second}`), ['-  a: "1"', '+  a: "2"']);
    assert.deepEqual(await changes(`diff cm between --at=${second}`), ['-  a: "2"']);
    assert.deepEqual(await changes(`diff cm between --at=${Number(first) - 1}..${first}`), ['+  a: "1"']);
    assert.deepEqual(await changes(`diff cm between --at=${second}..${third}`), []);
    assert.deepEqual(await changes(`diff cm,secret -A --at=${first}..${third}`), [
      '-  a: "1"',
      '+  a: "2"',
      "+  a: '***'",
      "+  b: '***'",
    ]);
    assert.deepEqual(await changes(`diff secret/between --at=${Number(third) - 1}..${third}`), [
      "-  a: '*** (before)'",
      "+  a: '*** (after)'",
    ]);
    for (const [line, mistake] of [
      [`diff cm missing --at=${first}..${third}`, /configmaps "missing" not found/],
      ['diff cm --at=..5m', /--at must be FROM or FROM\.\.TO/],
      ['diff cm --at=yesterday', /must be a resourceVersion/],
      ['diff --at=5m', /which objects\?/],
    ] as const) {
      const { stderr, code } = await run(line);
      assert.match(stderr, mistake);
      assert.equal(code, 2);
    }
  });

  it('apply --server-side asks, forces or skips on conflicts', async () => {
    const applied = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'shared' },
      data: { a: 'mine', b: 'mine' },
    };
    const document = path.join(home, 'shared.json');
    const apply = async (data: Record<string, string>, flags: string, input?: string): Promise<Outcome> => {
      writeFileSync(document, JSON.stringify({ ...applied, data }));
      return run(`apply --server-side -f ${document} ${flags}`, input === undefined ? {} : { input });
    };
    const data = async () => (await output('get cm shared -o jsonpath={.data.a},{.data.b}')).split(',');
    const theirs = async () => void (await patch(`${configMaps}/shared`, { data: { a: 'theirs' } }, 'they'));
    await apply({ a: 'mine', b: 'mine' }, '');
    await theirs();
    assert.match((await apply({ a: 'mine', b: 'new' }, '')).stderr, /There are three solutions/);
    const skipped = await apply({ a: 'mine', b: 'new' }, '--on-conflict=skip');
    assert.deepEqual(
      [skipped.stderr, skipped.code],
      ['Warning: fields of other managers were not changed in ConfigMap shared: .data.a\n', 0],
    );
    assert.deepEqual(await data(), ['theirs', 'new']);
    const stopped = await apply({ a: 'mine', b: '3' }, '--on-conflict=ask', 'no\n');
    assert.match(stopped.stderr, /conflict with "they".*: \.data\.a\nOverwrite these fields/);
    assert.match(stopped.stderr, /Nothing was applied\.\n$/);
    assert.equal(stopped.code, 1);
    assert.deepEqual(await data(), ['theirs', 'new']);
    assert.equal((await apply({ a: 'mine', b: '4' }, '--on-conflict=ask', 's\n')).code, 0);
    assert.deepEqual(await data(), ['theirs', '4']);
    assert.equal((await apply({ a: 'mine', b: '5' }, '--on-conflict=ask', 'f\n')).code, 0);
    assert.deepEqual(await data(), ['mine', '5']);
    await theirs();
    assert.equal((await apply({ a: 'mine', b: '6' }, '--on-conflict=force')).code, 0);
    assert.deepEqual(await data(), ['mine', '6']);
    for (const [flags, mistake] of [
      ['--on-conflict=maybe', /--on-conflict must be ask, force, skip, not "maybe"/],
      ['--on-conflict=skip --force-conflicts', /cannot set --force-conflicts and --on-conflict/],
    ] as const)
      assert.match((await apply({}, flags)).stderr, mistake);
    assert.match(
      (await run(`apply -f ${document} --on-conflict=skip`)).stderr,
      /--on-conflict only works with --server-side/,
    );
  });

  it('edit opens the editor again until the server accepts the object', async () => {
    await post(configMaps, { metadata: { name: 'edited', labels: { gone: 'soon' } }, data: { a: '1' } });
    const edit = (editor: string, flags = '') =>
      run(`edit cm edited ${flags}`, {
        env: { ORCHCONFIG: file, PATH: process.env['PATH'], EDITOR: 'false', ORCH_EDITOR: editor },
      });
    const data = () => output('get cm edited -o jsonpath={.data}{.metadata.labels}');
    const same = await edit('true');
    assert.deepEqual(same, { stdout: '', stderr: 'Edit cancelled, no changes made.\n', code: 0 });
    assert.match(
      (await edit('truncate -s 0')).stderr,
      /configmaps "edited" is invalid\n.*no valid changes were saved/s,
    );
    assert.match((await edit('false')).stderr, /there was a problem with the editor "false"/);
    assert.equal(await data(), '{"a":"1"}{"gone":"soon"}');
    const changed = await edit("sed -i -e 's/a: .*/b: two/' -e /gone/d");
    assert.deepEqual(changed, { stdout: 'configmap/edited edited\n', stderr: '', code: 0 });
    assert.equal(await data(), '{"b":"two"}');
    // The second time, the file contains the error of the first attempt, and the editor corrects it.
    const script = path.join(home, 'editor');
    writeFileSync(
      script,
      `if grep -q '^# .*not valid' "$1"; then sed -i 's/B_!/c/' "$1"; else sed -i 's/^  b:/  B_!:/' "$1"; fi`,
    );
    const again = await edit(`sh ${script}`);
    assert.match(again.stderr, /^error: configmaps "edited" is invalid\n/);
    assert.equal(again.stdout, 'configmap/edited edited\n');
    assert.equal(await data(), '{"c":"two"}');
    const refused = await edit(`sed -i 's/"c"/"!"/'`, '-o json');
    assert.match(refused.stderr, /Edit cancelled, no valid changes were saved/);
    const copy = /stored to "(.*)"/.exec(refused.stderr)?.[1] ?? '';
    assert.match(readFileSync(copy, 'utf8'), /"!": "two"/);
    rmSync(path.dirname(copy), { recursive: true });
    assert.equal(refused.code, 1);
  });

  it('tree shows owners and dependents', async () => {
    const owner = await post(configMaps, { metadata: { name: 'owner' } });
    const reference = (name: string, uid: string) => [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }];
    const child = await post(configMaps, {
      metadata: { name: 'child', ownerReferences: reference('owner', owner.uid) },
    });
    await post('/api/v1/namespaces/default/secrets', {
      metadata: { name: 'leaf', ownerReferences: reference('child', child.uid) },
    });
    const names = (text: string) => text.split('\n').map((row) => row.replace(/ +\S+$/, ''));
    const expected = ['ConfigMap/owner', '└─ ConfigMap/child', '   └─ Secret/leaf', ''];
    assert.deepEqual(names(await output('tree cm owner --no-headers')), expected);
    assert.deepEqual(names(await output('tree cm/child --no-headers')), expected);
  });

  it('who-can shows the subjects with a permission', async () => {
    const rbac = '/apis/rbac.authorization.orch.io/v1';
    await post(`${rbac}/namespaces/default/roles`, {
      metadata: { name: 'reader' },
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'], resourceNames: ['one'] }],
    });
    await post(`${rbac}/namespaces/default/rolebindings`, {
      metadata: { name: 'readers' },
      roleRef: { apiGroup: 'rbac.authorization.orch.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'User', name: 'jane', apiGroup: 'rbac.authorization.orch.io' }],
    });
    const jane = /^User +jane +Role\/reader +RoleBinding\/readers$/m;
    assert.match(await output('who-can get cm/one'), jane);
    assert.doesNotMatch(await output('who-can get cm/two'), jane);
    assert.doesNotMatch(await output('who-can get cm'), jane);
    assert.match(await output('who-can get /metrics'), /^Group +system:monitoring /m);
  });

  it('completes commands, flags, resource types and names', async () => {
    const complete = async (line: string) => (await output(`__completeNoDesc ${line}`)).trim().split('\n');
    assert.deepEqual(await complete('api-v'), ['api-versions', ':4']);
    assert.deepEqual(await complete('config use'), ['use-context', ':4']);
    assert.deepEqual(await complete("config use-context ''"), ['admin', ':4']);
    assert.deepEqual(await complete('get --label'), ['--label-columns', ':4']);
    assert.deepEqual(await complete('get endpointsl'), ['endpointslices.discovery.orch.io', ':4']);
    assert.deepEqual(await complete('get ns orch-s'), ['orch-system', ':4']);
    assert.deepEqual(await complete('get ns/orch-s'), ['ns/orch-system', ':4']);
    assert.deepEqual(await complete('history ns/orch-s'), ['ns/orch-system', ':4']);
    assert.deepEqual(await complete('-n orch-s'), ['orch-system', ':4']);
    assert.deepEqual(await complete('get cm -o ya'), ['yaml', ':4']);
    assert.deepEqual(await complete('get nope x'), [':4']);
    const scaled = ['deployment', 'replicaset', 'replicationcontroller', 'statefulset'];
    assert.deepEqual(await complete("scale ''"), ['--replicas', ...scaled, ':4']);
    assert.deepEqual(await complete("apply -f ''"), ['json', 'yaml', 'yml', ':8']);
    assert.deepEqual(await complete("explain ''"), [':0']);
    assert.match(await output('__complete api-v'), /^api-versions\tPrint .*\n:4\n$/);
  });

  it('caches the discovery of the server, and refreshes it for an unknown resource type', async () => {
    await output('get cm');
    const quiet = await run('get cm -v=6');
    assert.equal(quiet.stderr.match(/GET /g)?.length, 1, quiet.stderr);
    assert.match((await run('get unheard')).stderr, /resource type "unheard"/);
    await post('/apis/apiextensions.orch.io/v1/customresourcedefinitions', {
      metadata: { name: 'unheards.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'unheards', kind: 'Unheard' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    });
    await waitUntil('the new type is found', async () => (await run('get unheards')).code === 0);
  });

  it('masks credentials in its log', async () => {
    const { stderr } = await run('get cm --token=top-secret -v=9');
    assert.match(stderr, /curl -v -XGET .*Authorization: Bearer <masked>/);
    assert.doesNotMatch(stderr, /top-secret/);
  });

  it('Ctrl-C stops a watch after every change is shown', async () => {
    const stop = new AbortController();
    let text = '';
    const watching = run(
      'get cm --watch-only --output-watch-events -o custom-columns=T:.type,N:.object.metadata.name --no-headers',
      {
        signal: stop.signal,
        onOutput: (more) => {
          text += more;
        },
      },
    );
    await waitUntil('a change is shown', async () => {
      if (!text.includes('ADDED'))
        await replica.call('POST', configMaps, { body: { metadata: { generateName: 'w-' } } });
      return text.includes('ADDED');
    });
    stop.abort();
    assert.equal((await watching).code, 0);
  });

  it('shows every change of an object between the first get and the watch', async () => {
    await post(configMaps, { metadata: { name: 'between' }, data: { a: '1' } });
    const client = await connect(adminConnection(replica));
    const open = client.open.bind(client);
    client.open = async (request) => {
      await patch(`${configMaps}/between`, { data: { b: '2' } }, 'x');
      return await open(request);
    };
    const stop = new AbortController();
    let text = '';
    const watching = run('get cm between -w', {
      client,
      signal: stop.signal,
      onOutput: (more) => {
        text += more;
      },
    });
    await waitUntil('the change is shown', () => /between +1[\s\S]*between +2/.test(text));
    stop.abort();
    await watching;
  });

  it('highlights changed cells of a watch on a terminal', async () => {
    await post(configMaps, { metadata: { name: 'cells' }, data: { a: '1' } });
    const stop = new AbortController();
    let text = '';
    const watching = run('get cm cells -w', {
      signal: stop.signal,
      columns: 80,
      onOutput: (more) => {
        text += more;
      },
    });
    await waitUntil('the row is there', () => text.includes('cells'));
    let data = 1;
    await waitUntil('a change is shown', async () => {
      data++;
      await patch(`${configMaps}/cells`, { data: { [`key-${data}`]: 'x' } }, 'x');
      return text.includes('\u001b[1m');
    });
    stop.abort();
    await watching;
    // The name is unchanged and has the same width as before. The count of data is new.
    const changed = text.split('\n').find((row) => row.includes('\u001b[1m'))!;
    assert.match(changed.replaceAll('\u001b', '^'), /^cells {3}\^\[1m\d+\^\[0m {6}\d+s$/);
  });
});
