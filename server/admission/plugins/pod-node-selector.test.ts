import assert from 'node:assert/strict';
import { naming, podWith, surroundings, trying } from '../testing/try-plugin.ts';
import { podNodeSelector } from './pod-node-selector.ts';

const annotation = naming.key('scheduler.alpha/node-selector');
const namespace = (selector?: string) => ({
  metadata: { name: 'ns', ...(selector === undefined ? {} : { annotations: { [annotation]: selector } }) },
});
const unlisted = { podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: 'env=default' } };
const configuration = { podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: 'env=default', ns: 'zone=a' } };

const cases: readonly [string, object, unknown, Record<string, string>, Record<string, string> | RegExp][] = [
  ['nothing said', namespace(), undefined, { a: 'b' }, { a: 'b' }],
  ['of the namespace', namespace('env=dev, disk=ssd'), undefined, { a: 'b' }, { env: 'dev', disk: 'ssd', a: 'b' }],
  ['of the cluster', namespace(), unlisted, {}, { env: 'default' }],
  ['of the namespace over that of the cluster', namespace(''), unlisted, { a: 'b' }, { a: 'b' }],
  [
    'against the namespace',
    namespace('env=dev'),
    undefined,
    { env: 'prod' },
    /conflicts with its namespace node label selector$/,
  ],
  ['on the list', namespace(''), configuration, { zone: 'a' }, { zone: 'a' }],
  ['against the list', namespace(''), configuration, { zone: 'b' }, /labels conflict with its namespace whitelist$/],
  ['not on the list', namespace(''), configuration, { a: 'b' }, /labels conflict with its namespace whitelist$/],
  ['of the cluster, not on the list', namespace(), configuration, {}, /labels conflict with its namespace whitelist$/],
  ['no selector', namespace('env'), undefined, {}, /invalid selector: "env"$/],
  ['a bad key', namespace('a b=c'), undefined, {}, /invalid selector: "a b=c": /],
];

describe('PodNodeSelector', () => {
  for (const [what, object, settings, nodeSelector, expected] of cases) {
    it(what, async () => {
      const attempt = trying(podNodeSelector, { objects: { '/namespaces': [object] }, configuration: settings });
      const outcome = await attempt({ object: podWith({ nodeSelector }) });
      if (expected instanceof RegExp) assert.match(outcome.refused, expected);
      else {
        assert.equal(outcome.refused, '');
        assert.deepEqual(outcome.object.spec.nodeSelector, expected);
      }
    });
  }

  it('does not start with a selector that is none', () => {
    const bad = { podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: 'x' } };
    assert.throws(
      () => podNodeSelector(surroundings({ configuration: bad })),
      /clusterDefaultNodeSelector is an invalid/,
    );
  });
});
