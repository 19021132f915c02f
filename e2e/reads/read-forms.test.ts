import assert from 'node:assert/strict';
import { loadSchema } from '#schema/descriptors/load.ts';
import { decodeMessage } from '#server/codecs/protobuf/decode.ts';
import { unwrap } from '#server/codecs/protobuf/envelope.ts';
import { aroundAll } from '#server/testing/around-all.ts';
import { type TestAnswer, type TestReplica, testNaming } from '#server/testing/replica.ts';

const META = `application/json;g=${testNaming.group('meta')};v=v1`;

describe('representations of responses', () => {
  let replica: TestReplica;

  aroundAll((started) => {
    replica = started;
  });

  const read = (target: string, as: string): Promise<TestAnswer> =>
    replica.call('GET', target, { headers: { Accept: `${META};as=${as}` } });
  const create = async (target: string, body: unknown): Promise<void> => {
    const { status, text } = await replica.call('POST', target, { body });
    assert.equal(status, 201, text);
  };

  describe('of lists that are not stored', () => {
    const all = '/api/v1/componentstatuses';
    const names = ['controller-manager', 'etcd-0', 'scheduler'];

    it('tables have the columns and cells of the kind', async () => {
      const { json } = await read(all, 'Table');
      assert.deepEqual(
        json.columnDefinitions.map(({ name }: { name: string }) => name),
        ['Name', 'Status', 'Message', 'Error'],
      );
      assert.deepEqual(
        json.rows.map(({ cells }: { cells: string[] }) => cells[0]),
        names,
      );
      assert.deepEqual(json.rows[1].cells, ['etcd-0', 'Healthy', '{"health":"true","reason":""}', '']);
      assert.equal(json.rows[1].object.kind, 'PartialObjectMetadata');
      // Few machines have these programs, so a missing program is a message, not an error.
      const [controllers, , scheduler] = json.rows;
      for (const { cells } of [controllers, scheduler]) {
        assert.notEqual(cells[2], '');
        assert.equal(cells[3], '');
      }
    });

    it('a table of one object has the same columns', async () => {
      const { json } = await read(`${all}/etcd-0`, 'Table');
      assert.deepEqual(json.rows[0].cells.slice(0, 2), ['etcd-0', 'Healthy']);
    });

    it('metadata can be listed', async () => {
      const { json } = await read(all, 'PartialObjectMetadataList');
      assert.equal(json.kind, 'PartialObjectMetadataList');
      assert.deepEqual(
        json.items.map((item: { metadata: { name: string } }) => item.metadata.name),
        names,
      );
      assert.equal((await read(all, 'PartialObjectMetadata')).status, 406);
    });

    it('selectors are applied', async () => {
      const count = async (query: string) => (await replica.call('GET', `${all}?${query}`)).json.items.length;
      assert.equal(await count('fieldSelector=metadata.name%3Dscheduler'), 1);
      assert.equal(await count('labelSelector=a%3Db'), 0);
      assert.equal(await count('labelSelector=!a'), 3);
      assert.equal((await replica.call('GET', `${all}?fieldSelector=a%3Db`)).status, 400);
    });

    it('a watch is refused with 405, with the deprecation warning of the list', async () => {
      const { status, text, headers } = await replica.call('GET', `${all}?watch=1`);
      assert.equal(status, 405);
      assert.match(text, /watch is not supported on resources of kind \\"componentstatuses\\"/);
      assert.match(String(headers['warning']), /deprecated in v1.19/);
    });
  });

  describe('metadata without annotations for fields of other versions', () => {
    const path = '/apis/apps/v1/namespaces/default/daemonsets';
    const key = 'deprecated.daemonset.template.generation';

    it('a daemon set shows its template generation only in the full object', async () => {
      const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
      const annotations = { own: 'x' };
      const metadata = { name: 'd', annotations };
      await create(path, { metadata, spec: { selector: { matchLabels: { a: 'b' } }, template } });
      const whole = (await replica.call('GET', `${path}/d`)).json.metadata.annotations;
      assert.deepEqual(whole, { own: 'x', [key]: '1' });
      assert.deepEqual((await read(`${path}/d`, 'PartialObjectMetadata')).json.metadata.annotations, annotations);
      const list = (await read(path, 'PartialObjectMetadataList')).json;
      assert.deepEqual(list.items[0].metadata.annotations, annotations);
      assert.deepEqual((await read(path, 'Table')).json.rows[0].object.metadata.annotations, annotations);
      const rows = (await read(`${path}?includeObject=Object`, 'Table')).json.rows;
      assert.deepEqual(rows[0].object.metadata.annotations, whole);
    });

    it('an old version of an autoscaler keeps the new fields in annotations', async () => {
      const v1 = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
      const resource = { name: 'memory', target: { type: 'Utilization', averageUtilization: 5 } };
      const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' };
      await create(v1.replace('v1', 'v2'), {
        metadata: { name: 'h' },
        spec: { scaleTargetRef, maxReplicas: 2, metrics: [{ type: 'Resource', resource }] },
      });
      assert.equal(Object.keys((await replica.call('GET', `${v1}/h`)).json.metadata.annotations).length, 1);
      assert.equal((await read(`${v1}/h`, 'PartialObjectMetadata')).json.metadata.annotations, undefined);
      assert.equal((await read(v1, 'Table')).json.rows[0].object.metadata.annotations, undefined);
    });
  });

  describe('in protobuf', () => {
    const path = '/api/v1/namespaces/default/configmaps';
    const media = testNaming.protobufMediaType;
    const schema = loadSchema(testNaming);
    const accept = (as: string, version: string) => `${media};as=${as};g=${testNaming.group('meta')};v=${version}`;

    before(() => create(path, { metadata: { name: 'p' }, data: { a: 'b' } }));

    const metadata: [as: string, version: string, target: string][] = [
      ['PartialObjectMetadata', 'v1', '/p'],
      ['PartialObjectMetadata', 'v1beta1', '/p'],
      ['PartialObjectMetadataList', 'v1', '?fieldSelector=metadata.name%3Dp'],
      ['PartialObjectMetadataList', 'v1beta1', '?fieldSelector=metadata.name%3Dp'],
    ];
    for (const [as, version, target] of metadata)
      it(`serves ${as} of ${version}`, async () => {
        const { raw, ...envelope } = unwrap(await replica.bytes(`${path}${target}`, { Accept: accept(as, version) }));
        assert.equal(envelope.kind, as);
        assert.equal(envelope.apiVersion, testNaming.apiVersion('meta', version));
        const isList = as.endsWith('List');
        const message = schema.message(`meta.${isList ? version : 'v1'}.${as}`);
        const decoded = decodeMessage(message, raw) as TestAnswer['json'];
        assert.equal((isList ? decoded.items[0] : decoded).metadata.name, 'p');
      });

    it('serves a metadata watch as protobuf frames', async () => {
      const target = `${path}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dp`;
      const headers = { Accept: accept('PartialObjectMetadata', 'v1') };
      const answer = await replica.call('GET', target, { headers });
      assert.equal(answer.headers['content-type'], `${media};stream=watch`);
      const bytes = await replica.bytes(target, headers);
      assert.equal(bytes.readUInt32BE(0), bytes.length - 4);
      const envelope = unwrap(bytes.subarray(bytes.indexOf('6b387300', 0, 'hex')));
      assert.equal(envelope.kind, 'PartialObjectMetadata');
      const message = schema.message('meta.v1.PartialObjectMetadata');
      assert.equal((decodeMessage(message, envelope.raw) as TestAnswer['json']).metadata.name, 'p');
    });

    const tables: [accepted: string, status: number, type: string][] = [
      [accept('Table', 'v1'), 406, 'application/json'],
      [`${accept('Table', 'v1')},application/json`, 200, 'application/json'],
      [`${accept('Table', 'v1')},${media}`, 200, media],
    ];
    for (const [accepted, status, type] of tables)
      for (const target of ['/p', '', '?watch=1&timeoutSeconds=1&resourceVersion=1'])
        it(`serves no tables: ${accepted} of ${target || 'a list'} is ${status}`, async () => {
          const answer = await replica.call('GET', `${path}${target}`, { headers: { Accept: accepted } });
          assert.equal(answer.status, status);
          const streamed = status === 200 && type === media && target.includes('watch');
          assert.equal(answer.headers['content-type'], streamed ? `${type};stream=watch` : type);
        });

    const errors: [accepted: string, type: string][] = [
      [accept('PartialObjectMetadata', 'v1'), 'application/json'],
      [`${accept('PartialObjectMetadata', 'v1')},${media}`, media],
      [`${META};as=Table,application/yaml`, 'application/yaml'],
    ];
    for (const [accepted, type] of errors)
      it(`an error uses the first media range without a transform: ${accepted}`, async () => {
        const answer = await replica.call('GET', `${path}/nobody`, { headers: { Accept: accepted } });
        assert.equal(answer.status, 404);
        assert.equal(answer.headers['content-type'], type);
      });
  });
});
