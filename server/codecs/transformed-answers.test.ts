import assert from 'node:assert/strict';
import { EtcdProcess } from '../../storage-etcd/testing/etcd-process.ts';
import { startReplica, type TestAnswer, type TestReplica } from '../testing/replica.ts';

const SETS = '/apis/apps/v1/namespaces/default/daemonsets';
const GENERATION = 'deprecated.daemonset.template.generation';
const form = (as: string) => ({ headers: { Accept: `application/json;as=${as};v=v1;g=meta.orch.io` } });

describe('answers in another form', () => {
  let etcd: EtcdProcess;
  let replica: TestReplica;

  before(async () => {
    etcd = await EtcdProcess.start();
    replica = await startReplica(etcd.endpoint);
    const labels = { app: 'a' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const spec = { selector: { matchLabels: labels }, template };
    for (const [name, annotations] of [['plain', {}] as const, ['mine', { mine: 'x' }] as const]) {
      await replica.call('POST', SETS, { body: { metadata: { name, annotations }, spec } });
    }
  });

  after(async () => {
    await replica?.stop();
    await etcd?.stop();
  });

  const get = async (path: string, as: string) => (await replica.call('GET', path, form(as))).json;
  const annotationsOf = (objects: TestAnswer['json'][]) => objects.map(({ metadata }) => metadata.annotations);

  it('show whole objects with the annotations that stand for fields of other versions', async () => {
    const { items } = (await replica.call('GET', SETS)).json;
    assert.deepEqual(annotationsOf(items), [{ [GENERATION]: '1', mine: 'x' }, { [GENERATION]: '1' }]);
    const { rows } = await get(`${SETS}?includeObject=Object`, 'Table');
    assert.equal(rows[1].object.metadata.annotations[GENERATION], '1');
  });

  it('show metadata alone without them', async () => {
    const bare = [{ mine: 'x' }, undefined];
    const { rows } = await get(SETS, 'Table');
    assert.deepEqual(annotationsOf(rows.map((row: { object: unknown }) => row.object)), bare);
    assert.deepEqual(annotationsOf((await get(SETS, 'PartialObjectMetadataList')).items), bare);
    assert.deepEqual(annotationsOf([await get(`${SETS}/plain`, 'PartialObjectMetadata')]), [undefined]);
  });

  it('show lists of what is stored nowhere row by row', async () => {
    const { columnDefinitions, rows } = await get('/api/v1/componentstatuses', 'Table');
    assert.deepEqual(
      columnDefinitions.map(({ name }: { name: string }) => name),
      ['Name', 'Status', 'Message', 'Error'],
    );
    const etcdRow = rows.find(({ cells }: { cells: string[] }) => cells[0] === 'etcd-0');
    assert.equal(etcdRow.cells[1], 'Healthy');
    assert.equal(etcdRow.object.metadata.name, 'etcd-0');
  });

  it('say that what cannot be watched cannot, and that it is deprecated', async () => {
    const answer = await replica.call('GET', '/api/v1/componentstatuses?watch=1');
    assert.deepEqual([answer.status, JSON.parse(answer.text).details], [405, { kind: 'componentstatuses' }]);
    assert.match(String(answer.headers['warning']), /deprecated/);
  });
});
