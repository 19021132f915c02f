import assert from 'node:assert/strict';
import { naming, podWith, trying } from '../testing/try-plugin.ts';
import { podTolerationRestriction } from './pod-toleration-restriction.ts';

const tolerate = (key: string, more: object = {}) => ({ key, operator: 'Exists', ...more });
const pressure = tolerate(naming.key('node/memory-pressure'), { effect: 'NoSchedule' });
const annotated = (defaults?: unknown, allowed?: unknown) => ({
  metadata: {
    name: 'ns',
    annotations: {
      ...(defaults === undefined ? {} : { [naming.key('scheduler.alpha/defaultTolerations')]: text(defaults) }),
      ...(allowed === undefined ? {} : { [naming.key('scheduler.alpha/tolerationsWhitelist')]: text(allowed) }),
    },
  },
});
function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
const configuration = {
  apiVersion: naming.apiVersion('podtolerationrestriction.admission', 'v1alpha1'),
  kind: 'Configuration',
  default: [tolerate('cluster')],
  whitelist: [tolerate('cluster'), tolerate('listed')],
};

const cases: readonly [string, object, unknown, object[], object[] | RegExp][] = [
  [
    'keeps the tolerations of a pod without configuration',
    annotated(),
    undefined,
    [tolerate('own')],
    [tolerate('own')],
  ],
  [
    'adds the defaults of the namespace',
    annotated([tolerate('d')]),
    undefined,
    [tolerate('own')],
    [tolerate('own'), tolerate('d')],
  ],
  ['adds the defaults of the cluster', annotated(), configuration, [], [tolerate('cluster')]],
  [
    'uses an empty list of the namespace instead of the list of the cluster',
    annotated([], []),
    configuration,
    [tolerate('own')],
    [tolerate('own')],
  ],
  [
    'refuses a toleration that is not in the list of the namespace',
    annotated([], [tolerate('a')]),
    undefined,
    [tolerate('b')],
    /its namespace whitelist$/,
  ],
  [
    'refuses a toleration that is not in the list of the cluster',
    annotated(),
    configuration,
    [tolerate('b')],
    /its cluster whitelist$/,
  ],
  ['refuses a list that is not JSON', annotated('nonsense'), undefined, [], /not a JSON list of tolerations$/],
];

describe('PodTolerationRestriction', () => {
  for (const [what, namespace, settings, tolerations, expected] of cases) {
    it(what, async () => {
      const attempt = trying(podTolerationRestriction, {
        objects: { '/namespaces': [namespace] },
        configuration: settings,
      });
      const { refused, object } = await attempt({ object: podWith({ tolerations }) });
      if (expected instanceof RegExp) assert.match(refused, expected);
      else {
        assert.equal(refused, '');
        assert.deepEqual(object.spec.tolerations, expected);
      }
    });
  }

  it('adds a toleration of memory pressure to pods with resource requests, on create and update', async () => {
    const attempt = trying(podTolerationRestriction, { objects: { '/namespaces': [annotated([tolerate('d')])] } });
    const pod = podWith({ containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] });
    assert.deepEqual((await attempt({ object: pod })).object.spec.tolerations, [tolerate('d'), pressure]);
    const updated = await attempt({ operation: 'UPDATE', object: pod, oldObject: pod });
    assert.deepEqual(updated.object.spec.tolerations, [pressure]);
  });
});
