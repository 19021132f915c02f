import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';
import { startBootstrappedEtcd } from '../testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica } from '../testing/replica.ts';
import { validObjects } from './testing/valid-objects.ts';

const naming = createNaming('orch');
const NAMESPACE = 'again';

interface Sample {
  readonly title: string;
  readonly path: string;
  readonly body: object;
}

/** Each valid object at its place, in its version of the kind. */
function samples(): Sample[] {
  return loadSchema(naming).groupVersions.flatMap(({ group, version, resources }) =>
    resources.flatMap(({ message, kind, plural, namespaced }) => {
      const { metadata, ...rest } = (validObjects[message.name] ?? {}) as { metadata?: { name?: string } };
      if (Object.keys(rest).length === 0 && metadata === undefined) return [];
      const name = metadata?.name ?? message.name.toLowerCase().replaceAll('.', '-');
      const apiVersion = group === '' ? version : naming.apiVersion(group, version);
      const base = group === '' ? `/api/${version}` : `/apis/${apiVersion}`;
      const place = namespaced ? `${base}/namespaces/${NAMESPACE}` : base;
      const body = JSON.parse(
        JSON.stringify({ apiVersion, kind, ...rest, metadata: { name } }).replaceAll('"n"', `"${NAMESPACE}"`),
      );
      return [{ title: message.name, path: `${place}/${plural}/${name}`, body }];
    }),
  );
}

describe('an object that is sent again without a change', () => {
  let etcd: EtcdProcess;
  let replica: TestReplica;

  const send = async (method: string, path: string, type: string, body: unknown) => {
    const { status, json, text } = await replica.call(method, path, { headers: { 'Content-Type': type }, body });
    assert.ok(status < 300, text);
    return json;
  };
  const apply = ({ path, body }: Sample) =>
    send('PATCH', `${path}?fieldManager=m&force=true`, 'application/apply-patch+yaml', body);

  before(async () => {
    etcd = await startBootstrappedEtcd();
    replica = await startReplica(etcd.endpoint, '--runtime-config=api/all=true');
    await replica.call('POST', '/api/v1/namespaces', { body: { metadata: { name: NAMESPACE } } });
    await replica.call('POST', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`, {
      body: { metadata: { name: 'default' } },
    });
    for (const sample of samples()) await apply(sample);
    // After this pause, the times of the managers would differ.
    await new Promise((resolve) => setTimeout(resolve, 1100));
  });

  after(async () => {
    await replica?.stop();
    await etcd?.stop();
  });

  for (const sample of samples()) {
    const { title, path } = sample;
    it(`does not change: ${title}`, async () => {
      const before = (await replica.call('GET', path)).json;
      assert.deepEqual(await apply(sample), before, 'applied again');
      assert.deepEqual(await send('PUT', path, 'application/json', before), before, 'put back');
      assert.deepEqual(await send('PATCH', path, 'application/merge-patch+json', before), before, 'merged into itself');
      assert.deepEqual(await send('PATCH', path, 'application/json-patch+json', []), before, 'patched with nothing');
    });
  }
});
