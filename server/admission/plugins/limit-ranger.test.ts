import assert from 'node:assert/strict';
import { naming, podWith, trying } from '../testing/try-plugin.ts';
import { limitRanger } from './limit-ranger.ts';

const range = (...limits: object[]) => ({ metadata: { name: 'r', namespace: 'ns' }, spec: { limits } });
const asking = (resources: object, more: object = {}) =>
  podWith({ containers: [{ name: 'c', image: 'i', resources }], ...more });

const refusals: readonly [string, object, object, string][] = [
  [
    'resources within the limits',
    { type: 'Container', min: { cpu: '1' }, max: { cpu: '2' } },
    asking({ requests: { cpu: '1' }, limits: { cpu: '2' } }),
    '',
  ],
  [
    'no request',
    { type: 'Container', min: { cpu: '1' } },
    asking({}),
    'minimum cpu usage per Container is 1.  No request is specified',
  ],
  [
    'no limit',
    { type: 'Container', max: { cpu: '1' } },
    asking({}),
    'maximum cpu usage per Container is 1.  No limit is specified',
  ],
  [
    'a request below the minimum',
    { type: 'Container', min: { cpu: '1' } },
    asking({ requests: { cpu: '999m' } }),
    'minimum cpu usage per Container is 1, but request is 999m',
  ],
  [
    'several resources above the maximum',
    { type: 'Container', max: { cpu: '1', memory: '1Mi' } },
    asking({ limits: { cpu: '2', memory: '2Mi' } }),
    '[maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Container is 1Mi, but limit is 2Mi]',
  ],
  [
    'exactly the maximum ratio',
    { type: 'Container', maxLimitRequestRatio: { cpu: '3' } },
    asking({ requests: { cpu: '100m' }, limits: { cpu: '300m' } }),
    '',
  ],
  [
    'a ratio above the maximum',
    { type: 'Container', maxLimitRequestRatio: { cpu: '3' } },
    asking({ requests: { cpu: '100m' }, limits: { cpu: '301m' } }),
    'cpu max limit to request ratio per Container is 3, but provided ratio is 3.010000',
  ],
  [
    'containers that together exceed the limit',
    { type: 'Pod', max: { cpu: '3' } },
    podWith({ containers: ['a', 'b'].map((name) => ({ name, resources: { limits: { cpu: '2' } } })) }),
    'maximum cpu usage per Pod is 3, but limit is 4',
  ],
  [
    'a container without the required limit',
    { type: 'Pod', max: { cpu: '3' } },
    podWith({ containers: [{ name: 'a', resources: { limits: { cpu: '1' } } }, { name: 'b' }] }),
    'maximum cpu usage per Pod is 3.  No limit is specified',
  ],
  [
    'init containers, which are counted separately',
    { type: 'Pod', max: { cpu: '3' } },
    asking({ limits: { cpu: '2' } }, { initContainers: [{ name: 'i', resources: { limits: { cpu: '3' } } }] }),
    '',
  ],
];

describe('LimitRanger', () => {
  for (const [what, limit, object, expected] of refusals) {
    it(`${expected === '' ? 'admits' : 'refuses'} a pod with ${what}`, async () => {
      const attempt = trying(limitRanger, { objects: { '/limitranges': [range(limit)] } });
      assert.equal((await attempt({ object })).refused, expected);
    });
  }

  it('sets default requests and limits in containers, and records them in an annotation', async () => {
    const limit = { type: 'Container', default: { cpu: '2', memory: '1Mi' }, defaultRequest: { cpu: '1' } };
    const attempt = trying(limitRanger, { objects: { '/limitranges': [range(limit)] } });
    const { object } = await attempt({
      object: asking({ limits: { memory: '3Mi' } }, { initContainers: [{ name: 'i' }] }),
    });
    assert.deepEqual(object.spec.containers[0].resources, {
      requests: { cpu: '1' },
      limits: { cpu: '2', memory: '3Mi' },
    });
    assert.equal(
      object.metadata.annotations[naming.key('limit-ranger')],
      'LimitRanger plugin set: cpu request for container c; cpu limit for container c; cpu request for init container i; cpu, memory limit for init container i',
    );
  });

  const many = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`example.com/r${i}`, '1']));
  const containers = Array.from({ length: 200 }, (_, i) => ({ name: `c${i}`, image: 'i' }));

  it('refuses a pod that needs very many defaults', async () => {
    const limit = { type: 'Container', defaultRequest: many };
    const attempt = trying(limitRanger, { objects: { '/limitranges': [range(limit)] } });
    const { refused } = await attempt({ object: podWith({ containers }) });
    assert.equal(refused, 'the pod needs more than 10000 defaults of the limit range r');
  });

  it('names the first of very many missing amounts', async () => {
    const attempt = trying(limitRanger, { objects: { '/limitranges': [range({ type: 'Container', min: many })] } });
    const { refused } = await attempt({ object: podWith({ containers }) });
    assert.equal(refused.split('No request is specified').length - 1, 200);
  });

  it('limits claims on create and update, but not claims that are being deleted', async () => {
    const limit = { type: 'PersistentVolumeClaim', max: { storage: '1Gi' } };
    const attempt = trying(limitRanger, { objects: { '/limitranges': [range(limit)] } });
    const claim = { metadata: { name: 'c' }, spec: { resources: { requests: { storage: '2Gi' } } } };
    const going = { metadata: { name: 'c', deletionTimestamp: '2024-01-01T00:00:00Z' } };
    const resource = 'persistentvolumeclaims';
    const message = 'maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi';
    assert.equal((await attempt({ resource, object: claim })).refused, message);
    assert.equal((await attempt({ resource, operation: 'UPDATE', object: claim, oldObject: claim })).refused, message);
    assert.equal((await attempt({ resource, operation: 'UPDATE', object: claim, oldObject: going })).refused, '');
  });

  it('does not limit updates of pods, nor pods in other namespaces', async () => {
    const limit = { type: 'Container', min: { cpu: '1' } };
    const attempt = trying(limitRanger, { objects: { '/limitranges': [range(limit)] } });
    assert.equal((await attempt({ operation: 'UPDATE', object: podWith(), oldObject: podWith() })).refused, '');
    assert.equal((await attempt({ namespace: 'ns2', object: podWith() })).refused, '');
  });
});
