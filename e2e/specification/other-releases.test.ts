import assert from 'node:assert/strict';
import { startReplica, type TestReplica } from '#server/testing/replica.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

const PODS = '/api/v1/namespaces/default/pods';
const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const STRATEGIC = { 'Content-Type': 'application/strategic-merge-patch+json' };
const APPLY = { 'Content-Type': 'application/apply-patch+yaml' };

/** No controller runs, so the test creates the service account of the pods. */
const FLAGS = ['--disable-admission-plugins=ServiceAccount'];

const POD = {
  metadata: { name: 'p' },
  spec: {
    automountServiceAccountToken: false,
    schedulingGates: [{ name: 'example.com/a' }],
    initContainers: [{ name: 'i', image: 'a', restartPolicy: 'Always' }],
    containers: [{ name: 'c', image: 'a' }],
  },
};

/** The parts of pods that a later release has and an earlier one does not. */
interface Later {
  readonly spec: {
    readonly schedulingGates?: unknown;
    readonly initContainers: readonly { readonly image: string; readonly restartPolicy?: string }[];
  };
  readonly metadata: { readonly labels?: Readonly<Record<string, string>>; readonly resourceVersion: string };
}

function laterParts({ spec }: Later) {
  return [spec.schedulingGates, spec.initContainers[0]?.restartPolicy];
}

const LATER = [[{ name: 'example.com/a' }], 'Always'];

describe('two replicas of different releases on one store', () => {
  let etcd: EtcdProcess;
  let earlier: TestReplica;
  let later: TestReplica;
  before(async () => {
    etcd = await EtcdProcess.start();
    // The replica of the earlier release already runs when the replica of the later release starts.
    earlier = await startReplica(etcd.endpoint, ...FLAGS);
    later = await startReplica(etcd.endpoint, ...FLAGS, '--emulated-version=1.37');
    const made = await later.call('POST', PODS, { body: POD });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual(laterParts(made.json), LATER);
  });
  after(async () => {
    await earlier?.stop();
    await later?.stop();
    await etcd?.stop();
  });

  const inEarlier = async (): Promise<Later> => (await earlier.call('GET', `${PODS}/p`)).json as Later;
  const inLater = async (): Promise<Later> => (await later.call('GET', `${PODS}/p`)).json as Later;

  it('report their versions', async () => {
    const [old, recent] = await Promise.all([earlier, later].map((replica) => replica.call('GET', '/version')));
    assert.deepEqual([old!.json.minor, recent!.json.minor], ['25', '37']);
    assert.equal(Object.hasOwn(old!.json, 'emulationMinor'), false);
    const resources = await Promise.all(
      [earlier, later].map(async (replica) => {
        const { json } = await replica.call('GET', '/api/v1');
        return (json.resources as { name: string }[]).some(({ name }) => name === 'pods/resize');
      }),
    );
    assert.deepEqual(resources, [false, true]);
  });

  it('show only the fields of their own release in objects, lists, tables and watches', async () => {
    assert.deepEqual(laterParts(await inEarlier()), [undefined, undefined]);
    assert.deepEqual(laterParts(await inLater()), LATER);
    const list = await earlier.call('GET', PODS);
    assert.deepEqual(laterParts(list.json.items[0]), [undefined, undefined]);
    const seen = new Promise<Later>((resolve, reject) => {
      earlier.watch(`${PODS}?watch=1`, ({ object }) => resolve(object as Later)).catch(reject);
    });
    assert.deepEqual(laterParts(await seen), [undefined, undefined]);
  });

  it('keep fields of the other release when an object is replaced', async () => {
    const object = await inEarlier();
    const body = { ...object, metadata: { ...object.metadata, labels: { by: 'put' } } };
    const answer = await earlier.call('PUT', `${PODS}/p`, { body });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(laterParts(answer.json), [undefined, undefined]);
    const after = await inLater();
    assert.deepEqual([laterParts(after), after.metadata.labels], [LATER, { by: 'put' }]);
  });

  it('keep fields of the other release in patches, applies and subresources', async () => {
    const patches: [headers: Record<string, string>, target: string, body: object][] = [
      [MERGE, `${PODS}/p`, { metadata: { labels: { by: 'patch' } } }],
      [STRATEGIC, `${PODS}/p`, { spec: { initContainers: [{ name: 'i', image: 'b' }] } }],
      [MERGE, `${PODS}/p/status`, { status: { phase: 'Running' } }],
      [APPLY, `${PODS}/p?fieldManager=m`, { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { applied: 'yes' } } }],
    ];
    for (const [headers, target, body] of patches) {
      const answer = await earlier.call('PATCH', target, { headers, body });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(laterParts(answer.json), [undefined, undefined]);
      assert.deepEqual(laterParts(await inLater()), LATER, JSON.stringify(body));
    }
    assert.equal((await inLater()).spec.initContainers[0]?.image, 'b');
  });

  it('do not write an unchanged object', async () => {
    const { resourceVersion } = (await inLater()).metadata;
    const answer = await earlier.call('PATCH', `${PODS}/p`, { headers: MERGE, body: {} });
    assert.equal(answer.json.metadata.resourceVersion, resourceVersion);
  });

  it('refuse fields that their release does not have', async () => {
    const target = `${PODS}?fieldValidation=Strict`;
    const body = { ...POD, metadata: { name: 'q' } };
    const [old, recent] = [await earlier.call('POST', target, { body }), await later.call('POST', target, { body })];
    assert.equal(old.status, 400);
    assert.match(old.text, /unknown field \\"spec\.schedulingGates\\"/);
    assert.equal(recent.status, 201, recent.text);
  });

  it('lose no field when a replica of the earlier release starts later', async () => {
    const again = await startReplica(etcd.endpoint, ...FLAGS);
    try {
      const answer = await again.call('PATCH', `${PODS}/p`, {
        headers: MERGE,
        body: { metadata: { labels: { by: 'again' } } },
      });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(laterParts(answer.json), [undefined, undefined]);
      assert.deepEqual(laterParts(await inLater()), LATER);
    } finally {
      await again.stop();
    }
  });
});
