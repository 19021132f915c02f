import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import { createNaming } from '#base/naming/create-naming.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { startBootstrappedEtcd } from '../testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica } from '../testing/replica.ts';

const naming = createNaming('orch');
const META = naming.group('meta');

/** The text without ages, because these change between two answers. */
function withoutAges(text: string): string {
  return text.replace(/"(\d+[smh])+"/g, '"age"');
}

describe('a list that is sent item by item', () => {
  let etcd: EtcdProcess;
  let replica: TestReplica;
  before(async function () {
    this.timeout(60_000);
    etcd = await startBootstrappedEtcd();
    replica = await startReplica(etcd.endpoint);
    for (let n = 0; n < 250; n++) {
      const labels = { name: `c${n}`, text: 'ä "quoted" \\' };
      const body = { metadata: { name: `c${n}`, annotations: labels }, data: { text: 'x'.repeat(600) } };
      assert.equal((await replica.call('POST', '/api/v1/namespaces/default/configmaps', { body })).status, 201);
    }
    const event = {
      metadata: { name: 'e' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
      reason: 'Why',
      type: 'Normal',
    };
    assert.equal((await replica.call('POST', '/api/v1/namespaces/default/events', { body: event })).status, 201);
  });
  after(async () => {
    await replica.stop();
    await etcd.stop();
  });

  const CONFIG_MAPS = '/api/v1/configmaps?limit=249';
  const EVENTS = `/apis/${naming.group('events')}/v1/events?`;
  const rows: [path: string, as: string][] = [
    [CONFIG_MAPS, 'Table'],
    [`${CONFIG_MAPS}&includeObject=None`, 'Table'],
    [`${CONFIG_MAPS}&includeObject=Object`, 'Table'],
    [CONFIG_MAPS, 'PartialObjectMetadataList'],
    [`${CONFIG_MAPS}&fieldSelector=metadata.name%3Dnobody`, 'PartialObjectMetadataList'],
    [`${CONFIG_MAPS}&fieldSelector=metadata.name%3Dnobody`, 'Table'],
    // It is stored in another version than the shown one.
    [EVENTS, 'Table'],
    [`${EVENTS}&includeObject=Object`, 'Table'],
    [EVENTS, 'PartialObjectMetadataList'],
  ];
  for (const [path, as] of rows)
    it(`equals the list in one piece: ${path} as ${as}`, async () => {
      const Accept = `application/json;as=${as};v=v1;g=${META}`;
      const ask = async (query: string) => {
        const answer = await replica.call('GET', `${path}${query}`, { headers: { Accept } });
        assert.equal(answer.status, 200, answer.text);
        return answer;
      };
      let [whole, parts] = [await ask('&pretty=true'), await ask('')];
      // The replica regularly writes its heartbeat, which raises the version of lists.
      while (whole.json.metadata.resourceVersion !== parts.json.metadata.resourceVersion)
        [whole, parts] = [await ask('&pretty=true'), await ask('')];
      assert.equal(parts.headers['content-type'], 'application/json');
      assert.equal(withoutAges(parts.text), withoutAges(`${JSON.stringify(whole.json)}\n`));
    });

  for (const path of ['/api/v1/configmaps?limit=3', CONFIG_MAPS, '/api/v1/configmaps?limit=0'])
    it(`equals the list in one piece: ${path} in JSON`, async () => {
      const withoutVersion = ({ metadata: _, ...list }: Record<string, unknown>) => list;
      const [whole, parts] = [await replica.call('GET', `${path}&pretty=true`), await replica.call('GET', path)];
      assert.equal(parts.headers['transfer-encoding'], undefined);
      assert.deepEqual(withoutVersion(parts.json), withoutVersion(whole.json));
    });

  it('has a Content-Length if all its bytes are known before', async () => {
    const lengths = async (path: string, Accept: string) => {
      const { headers, text } = await replica.call('GET', path, { headers: { Accept } });
      return [headers['content-length'], headers['transfer-encoding'], text.length > 128 * 1024];
    };
    const { length } = await replica.bytes(CONFIG_MAPS, {});
    assert.deepEqual(await lengths(CONFIG_MAPS, 'application/json'), [String(length), undefined, true]);
    const protobuf = naming.protobufMediaType;
    const encoded = await replica.bytes(CONFIG_MAPS, { Accept: protobuf });
    assert.deepEqual(await lengths(CONFIG_MAPS, protobuf), [String(encoded.length), undefined, true]);
    const table = `application/json;as=Table;v=v1;g=${META}`;
    const whole = `${CONFIG_MAPS}&includeObject=Object`;
    assert.deepEqual(await lengths(whole, table), [undefined, 'chunked', true]);
  });

  it('can be compressed', async () => {
    const { metadata } = (await replica.call('GET', CONFIG_MAPS)).json;
    // The lists have one version, because the replica writes its heartbeat in the meantime.
    const path = `${CONFIG_MAPS}&resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`;
    const plain = await replica.call('GET', path);
    assert.ok(plain.text.length > 128 * 1024);
    const compressed = await replica.bytes(path, { 'Accept-Encoding': 'gzip' });
    assert.ok(compressed.length < plain.text.length / 4);
    assert.equal(gunzipSync(compressed).toString(), plain.text);
    for (const encodings of ['gzip;q=0', 'br', 'gzip;q=0.0, identity']) {
      const answered = await replica.bytes(path, { 'Accept-Encoding': encodings });
      assert.equal(answered.toString(), plain.text, encodings);
    }
  });

  const refused: [as: string, query: string, status: number][] = [
    ['PartialObjectMetadata', '', 406],
    ['Table', '&includeObject=All', 400],
  ];
  for (const [as, query, status] of refused)
    it(`is refused with ${status} as ${as}${query}`, async () => {
      const Accept = `application/json;as=${as};v=v1;g=${META}`;
      assert.equal((await replica.call('GET', `${CONFIG_MAPS}${query}`, { headers: { Accept } })).status, status);
    });
});
