import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startReplica } from '#server/testing/replica.ts';
import { configuration, SECRET, storageTests } from './testing/storage-tests.ts';

describe('orch-storage', function () {
  this.timeout(120_000);
  const tests = storageTests();
  const { tool, put, textOf } = tests;

  it('verify lists values that it cannot decrypt', async () => {
    writeFileSync(tests.file, configuration(2));
    const { code, text } = await tool('verify');
    assert.equal(code, 1);
    assert.match(
      text,
      /not-opened +\/registry\/core\/secrets\/default\/one +it is encrypted with orch:enc:aesgcm:v1:key1:, and no provider has its key/,
    );
    const migrated = await tool('migrate');
    assert.equal(migrated.code, 1);
    assert.match(migrated.text, /core\/secrets\/default\/one: it is encrypted with .*, and no provider has its key/);
  });

  it('migrate encrypts values again with the first key, once, and changes no other value', async () => {
    writeFileSync(tests.file, configuration(2, 1));
    const before = (await tests.raw.get('/registry/core/configmaps/default/one'))!.revision;
    const dry = JSON.parse((await tool('migrate', '--dry-run', '-o', 'json')).text);
    assert.ok(dry.written >= 1);
    const { code, text } = await tool('migrate', '--rate=1000', '-o', 'json');
    assert.equal(code, 0);
    assert.equal(JSON.parse(text).written, dry.written);
    assert.ok((await textOf('core/secrets/default/one')).startsWith('orch:enc:aesgcm:v1:key2:'));
    assert.equal((await tests.raw.get('/registry/core/configmaps/default/one'))!.revision, before);
    assert.equal(JSON.parse((await tool('migrate', '-o', 'json')).text).written, 0);
    writeFileSync(tests.file, configuration(2));
    const replica = await startReplica(tests.etcd.endpoint, `--encryption-provider-config=${tests.file}`);
    try {
      const { json } = await replica.call('GET', '/api/v1/namespaces/default/secrets/one');
      assert.equal(Buffer.from(json.data.it, 'base64').toString(), SECRET);
    } finally {
      await replica.stop();
    }
  });

  it('verify finds wrong used amounts of quotas, and verify --repair corrects them', async () => {
    const replica = await startReplica(tests.etcd.endpoint, `--encryption-provider-config=${tests.file}`);
    const hard = {
      configmaps: '9',
      'services.nodeports': '9',
      'requests.cpu': '9',
      'count/widgets.example.com': '9',
      'count/gadgets.example.com': '9',
    };
    try {
      const quota = { metadata: { name: 'q' }, spec: { hard } };
      const answer = await replica.call('POST', '/api/v1/namespaces/default/resourcequotas', { body: quota });
      assert.equal(answer.status, 201, answer.text);
    } finally {
      await replica.stop();
    }
    const key = 'core/resourcequotas/default/q';
    const used = { 'requests.cpu': '0', 'services.nodeports': '7', configmaps: '2', 'count/widgets.example.com': '1' };
    await put(key, (text) => JSON.stringify({ ...JSON.parse(text), status: { hard, used } }));
    const said =
      /quota-miscounted +\/registry\/core\/resourcequotas\/default\/q +of services.nodeports it says 7, and 1 is used/;
    const found = await tool('verify');
    assert.equal(found.code, 1);
    assert.match(found.text, said);
    const repaired = await tool('verify', '--repair');
    assert.equal(repaired.code, 0, repaired.text);
    assert.match(repaired.text, /, 1 findings, 1 repaired/);
    assert.deepEqual(JSON.parse(await textOf(key)).status, { hard, used: { ...used, 'services.nodeports': '1' } });
    assert.equal((await tool('verify')).code, 0);
  });

  it('migrate continues from its mark file', async () => {
    writeFileSync(tests.file, configuration(2, 1));
    const mark = path.join(tests.folder, 'mark');
    // The value is encrypted with a missing key, so the migration stops before it.
    await put('core/secrets/default/one-more', () => 'orch:enc:aesgcm:v1:key9:lost');
    const first = await tool('migrate', '--rate=1000', `--mark=${mark}`, '-o', 'json');
    assert.equal(first.code, 1, first.errors);
    assert.equal(JSON.parse(readFileSync(mark, 'utf8')).after, '/registry/core/secrets/default/one');
    await put('core/secrets/default/one-more', () => undefined);
    const second = await tool('migrate', '--rate=1000', `--mark=${mark}`, '-o', 'json');
    assert.equal(second.code, 0, second.errors);
    assert.ok(JSON.parse(second.text).objects < JSON.parse(first.text).objects - 1);
    assert.equal(existsSync(mark), false);
    await put('core/secrets/default/one-more', () => 'orch:enc:aesgcm:v1:key9:lost');
    await tool('migrate', `--mark=${mark}`);
    writeFileSync(tests.file, configuration(2));
    assert.match((await tool('migrate', `--mark=${mark}`)).errors, /is of a migration with another/);
  });

  it('status shows the store', async () => {
    const { code, text } = await tool('status', '-o', 'json');
    assert.equal(code, 0, text);
    const said = JSON.parse(text);
    assert.deepEqual([said.naming, said.prefix, said.members.length], ['orch', '/registry', 1]);
    assert.equal(said.members[0].leader, true);
    const secrets = said.resources.find(({ resource }: { resource: string }) => resource === 'core/secrets');
    assert.deepEqual(Object.keys(secrets.encryption), ['orch:enc:aesgcm:v1:key1:']);
    const maps = said.resources.find(({ resource }: { resource: string }) => resource === 'core/configmaps');
    assert.deepEqual(Object.keys(maps.versions), ['v1']);
    assert.match((await tool('status')).text, /^core\/secrets +\d+ +\d+ +v1 +orch:enc:aesgcm:v1:key1:$/m);
  });

  it('get shows objects, but not the values of secrets', async () => {
    const map = JSON.parse((await tool('get', 'core/configmaps/default/one')).text);
    assert.deepEqual(map.object.data, { a: 'b' });
    const secret = JSON.parse((await tool('get', '/registry/core/secrets/default/one')).text);
    assert.equal(secret.encrypted, true);
    assert.match(secret.object.data.it, /^\d+ bytes$/);
    assert.match(
      (await tool('list', 'core/secrets/default')).text,
      /^\/registry\/core\/secrets\/default\/one +\d+ +\d+ +yes$/m,
    );
    assert.equal((await tool('get', 'core/configmaps/default/none')).code, 2);
  });

  it('backup saves a verified snapshot', async () => {
    const target = path.join(tests.folder, 'backup.db');
    const { code, text, errors } = await tool('backup', target);
    assert.equal(code, 0, errors);
    assert.match(text, /^\d+ bytes in /);
    const manifest = JSON.parse(readFileSync(`${target}.json`, 'utf8'));
    assert.equal(manifest.bytes, readFileSync(target).length);
    assert.equal(existsSync(`${target}.part`), false);
  });

  it('backup overwrites a snapshot only with --overwrite', async () => {
    const target = path.join(tests.folder, 'kept.db');
    writeFileSync(target, 'another one');
    const refused = await tool('backup', target);
    assert.equal(refused.code, 2);
    assert.match(refused.errors, /kept\.db already exists: choose another name, or replace it with --overwrite/);
    assert.equal(readFileSync(target, 'utf8'), 'another one');
    assert.equal((await tool('backup', target, '--overwrite')).code, 0);
    assert.notEqual(readFileSync(target, 'utf8'), 'another one');
  });

  it('--version shows the build', async () => {
    const { code, text } = await tool('--version');
    assert.equal(code, 0);
    assert.match(text, /^orch-storage \S+, release 1\.\d+\.\d+, commit \S+\n$/);
  });

  it('compact removes history and defrag frees space', async () => {
    const { revision } = JSON.parse((await tool('compact', '-o', 'json')).text);
    assert.equal(await tests.raw.oldestRevision(), revision);
    const defragged = await tool('defrag', '-o', 'json');
    assert.equal(JSON.parse(defragged.text)[0].address, tests.etcd.endpoint);
  });

  const wrong: readonly [words: string[], message: RegExp][] = [
    [['verfy'], /there is no command verfy: see --help/],
    [['get'], /get needs a key/],
    [['verify', '--fix'], /Unknown option '--fix'/],
    [['verify', '-o', 'xml'], /--output must be text or json/],
    [['verify', '--naming=kubernetes'], /was written with --naming=orch/],
    [['verify', '--etcd-prefix=/other'], /no data of API servers under \/other/],
    [['backup'], /backup needs the name of a file/],
    [['compact', 'x'], /compact needs a revision/],
    [['restore-check'], /restore-check needs the name of a snapshot/],
    [
      ['restore-check', 'x', '--', '--etcd-servers=http://192.0.2.1:2379'],
      /restore-check sets the flags about etcd itself/,
    ],
    [
      ['restore-check', 'x', '--', '--etcd_servers_overrides', '/events#http://192.0.2.1:2379'],
      /restore-check sets the flags/,
    ],
  ];
  it('reports mistakes in the command line and exits with 2', async () => {
    for (const [words, message] of wrong) {
      const { code, errors } = await tool(...words);
      assert.equal(code, 2, words.join(' '));
      assert.match(errors, message);
    }
    const { code, text } = await tool('--help');
    assert.equal(code, 0);
    assert.match(text, /verify +look for damage/);
  });
});
