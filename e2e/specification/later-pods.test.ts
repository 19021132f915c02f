import assert from 'node:assert/strict';
import { startReplica, type TestReplica } from '#server/testing/replica.ts';
import { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

const PODS = '/api/v1/namespaces/default/pods';
const STRATEGIC = { 'Content-Type': 'application/strategic-merge-patch+json' };
const MERGE = { 'Content-Type': 'application/merge-patch+json' };

const container = { name: 'c', image: 'a' };

function spec(fields: object, of: object = container): object {
  return { automountServiceAccountToken: false, containers: [of], ...fields };
}

const cpu = (requests: string, limits = requests) => ({ requests: { cpu: requests }, limits: { cpu: limits } });

/** Fields of a pod that are new in 1.37, and the causes of their refusal. */
const NEW: Readonly<Record<string, readonly [fields: object, causes: readonly string[]]>> = {
  'a sidecar has probes': [
    {
      initContainers: [{ ...container, name: 'i', restartPolicy: 'Always', livenessProbe: { tcpSocket: { port: 1 } } }],
    },
    [],
  ],
  'another init container has no probes': [
    { initContainers: [{ ...container, name: 'i', livenessProbe: { tcpSocket: { port: 1 } } }] },
    ['spec.initContainers[0].livenessProbe'],
  ],
  'a container has one of three restart policies': [
    { initContainers: [{ ...container, name: 'i', restartPolicy: 'Sometimes' }] },
    ['spec.initContainers[0].restartPolicy'],
  ],
  'scheduling gates have names': [
    { schedulingGates: [{ name: '' }] },
    ['spec.schedulingGates[0]', 'spec.schedulingGates[0]'],
  ],
  'scheduling gates are unique': [{ schedulingGates: [{ name: 'a' }, { name: 'a' }] }, ['spec.schedulingGates[1]']],
  'a gated pod has no node': [{ schedulingGates: [{ name: 'a' }], nodeName: 'n' }, ['spec.nodeName']],
  'a pod has pod-level resources': [{ resources: cpu('1') }, []],
  'pod-level resources are at least those of the containers': [
    { containers: [{ ...container, resources: cpu('2') }], resources: cpu('1') },
    ['spec.resources.requests[cpu]', 'spec.resources.containers[0][cpu].limits'],
  ],
  'pod-level resources cannot be extended resources': [
    { resources: { limits: { 'example.com/x': '1' } } },
    ['spec.resources.limits[example.com/x]'],
  ],
  'a resize policy is only for CPU and memory': [
    { containers: [{ ...container, resizePolicy: [{ resourceName: 'gpu', restartPolicy: 'NotRequired' }] }] },
    ['spec.containers[0].resizePolicy'],
  ],
  'environment variables can have names that are not identifiers': [
    { containers: [{ ...container, env: [{ name: '1 %', value: '1' }] }] },
    [],
  ],
  'a sleep action is at most the grace period': [
    { containers: [{ ...container, lifecycle: { preStop: { sleep: { seconds: 31 } } } }] },
    ['spec.containers[0].lifecycle.preStop.sleep'],
  ],
  'supplementalGroupsPolicy is Merge or Strict': [
    { securityContext: { supplementalGroupsPolicy: 'None' } },
    ['spec.securityContext.supplementalGroupsPolicy'],
  ],
};

describe('pods of release 1.37', () => {
  let etcd: EtcdProcess;
  let replica: TestReplica;
  before(async () => {
    etcd = await EtcdProcess.start();
    const flags = ['--emulated-version=1.37', '--disable-admission-plugins=ServiceAccount,LimitRanger'];
    replica = await startReplica(etcd.endpoint, ...flags);
  });
  after(async () => {
    await replica?.stop();
    await etcd?.stop();
  });

  const create = (name: string, fields: object) =>
    replica.call('POST', PODS, { body: { metadata: { name }, spec: spec(fields) } });
  const patch = (target: string, body: object, headers = STRATEGIC) =>
    replica.call('PATCH', `${PODS}/${target}`, { headers, body });
  const causes = ({ json }: Awaited<ReturnType<typeof create>>): string[] =>
    ((json.details?.causes ?? []) as { field: string }[]).map(({ field }) => field);

  for (const [index, [about, [fields, refused]]] of Object.entries(NEW).entries())
    it(about, async () => {
      const answer = await create(`n${index}`, fields);
      assert.deepEqual(causes(answer), refused, answer.text);
      assert.equal(answer.status, refused.length === 0 ? 201 : 422);
    });

  it('wait for their scheduling gates, and their node selector can be narrowed until then', async () => {
    const made = await create('gated', { schedulingGates: [{ name: 'a' }, { name: 'b' }], nodeSelector: { x: '1' } });
    assert.equal(made.json.metadata.generation, 1);
    assert.equal(made.json.status.conditions[0].reason, 'SchedulingGated');
    const bound = await replica.call('POST', `${PODS}/gated/binding`, {
      body: { metadata: { name: 'gated' }, target: { kind: 'Node', name: 'n' } },
    });
    assert.equal(bound.status, 409, bound.text);
    const steps: [body: object, refused: readonly string[]][] = [
      [{ spec: { nodeSelector: { y: '2' } } }, []],
      [{ spec: { nodeSelector: { x: '2' } } }, ['spec.nodeSelector']],
      [{ spec: { schedulingGates: [{ name: 'c' }] } }, ['spec.schedulingGates[0].name']],
      [{ spec: { schedulingGates: [{ name: 'b' }] } }, []],
      [{ spec: { schedulingGates: null } }, []],
      [{ spec: { nodeSelector: { z: '3' } } }, ['spec']],
    ];
    for (const [body, refused] of steps) {
      const answer = await patch('gated', body, MERGE);
      assert.deepEqual(causes(answer), refused, answer.text);
    }
    const { json } = await replica.call('GET', `${PODS}/gated`);
    assert.deepEqual([json.metadata.generation, json.spec.nodeSelector], [4, { x: '1', y: '2' }]);
  });

  it('can be resized only in CPU and memory, and keep their QoS class', async () => {
    const resources = { requests: { cpu: '1', memory: '1Gi', 'ephemeral-storage': '1Gi' } };
    await create('sized', { containers: [{ ...container, resources }] });
    const resize = (fields: object) => patch('sized/resize', { spec: { containers: [{ name: 'c', ...fields }] } });
    const grown = await resize({ image: 'other', resources: { requests: { cpu: '2' } } });
    assert.deepEqual(
      [grown.json.spec.containers[0].image, grown.json.spec.containers[0].resources.requests.cpu],
      ['a', '2'],
    );
    assert.equal(grown.json.metadata.generation, 2);
    assert.deepEqual(causes(await resize({ resources: { requests: { 'ephemeral-storage': '2Gi' } } })), ['spec']);
    assert.deepEqual(causes(await resize({ resources: { requests: { cpu: null } } })), [
      'spec.containers[0].resources.requests',
    ]);
    await create('small', {});
    const other = await patch('small/resize', { spec: { containers: [{ name: 'c', resources: cpu('1') }] } });
    assert.deepEqual(causes(other), ['spec']);
  });
});
