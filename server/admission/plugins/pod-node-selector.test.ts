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
  ['keeps the selector of a pod without configuration', namespace(), undefined, { a: 'b' }, { a: 'b' }],
  [
    'adds the selector of the namespace',
    namespace('env=dev, disk=ssd'),
    undefined,
    { a: 'b' },
    { env: 'dev', disk: 'ssd', a: 'b' },
  ],
  ['sets the selector of the cluster', namespace(), unlisted, {}, { env: 'default' }],
  [
    'uses the selector of the namespace instead of the selector of the cluster',
    namespace(''),
    unlisted,
    { a: 'b' },
    { a: 'b' },
  ],
  [
    'refuses a pod whose selector conflicts with the namespace',
    namespace('env=dev'),
    undefined,
    { env: 'prod' },
    /conflicts with its namespace node label selector$/,
  ],
  ['accepts a label that the list of the namespace allows', namespace(''), configuration, { zone: 'a' }, { zone: 'a' }],
  [
    'refuses a label whose value conflicts with the list',
    namespace(''),
    configuration,
    { zone: 'b' },
    /labels conflict with its namespace whitelist$/,
  ],
  [
    'refuses a label that is not on the list',
    namespace(''),
    configuration,
    { a: 'b' },
    /labels conflict with its namespace whitelist$/,
  ],
  [
    'refuses the selector of the cluster if it is not on the list',
    namespace(),
    configuration,
    {},
    /labels conflict with its namespace whitelist$/,
  ],
  ['refuses an invalid selector of the namespace', namespace('env'), undefined, {}, /invalid selector: "env"$/],
  [
    'refuses an invalid key in the selector of the namespace',
    namespace('a b=c'),
    undefined,
    {},
    /invalid selector: "a b=c": /,
  ],
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

  it('does not start with an invalid selector', () => {
    const bad = { podNodeSelectorPluginConfig: { clusterDefaultNodeSelector: 'x' } };
    assert.throws(
      () => podNodeSelector(surroundings({ configuration: bad })),
      /clusterDefaultNodeSelector is an invalid/,
    );
  });
});
