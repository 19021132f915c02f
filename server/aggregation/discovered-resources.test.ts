import assert from 'node:assert/strict';
import { fromAggregated, fromList } from './discovered-resources.ts';

const kind = (name: string, group = '', version = '') => ({ group, version, kind: name });

describe('the resources of another server', () => {
  const things = {
    resource: 'things',
    responseKind: kind('Thing'),
    scope: 'Namespaced',
    singularResource: 'thing',
    verbs: ['get', 'list'],
    shortNames: ['th'],
    subresources: [{ subresource: 'scale', responseKind: kind('Scale', 'autoscaling', 'v1'), verbs: ['get'] }],
  };

  it('are read from a discovery list, with their subresources', () => {
    const found = fromList({
      kind: 'APIResourceList',
      resources: [
        { name: 'things/scale', group: 'autoscaling', version: 'v1', kind: 'Scale', namespaced: true, verbs: ['get'] },
        {
          name: 'things',
          singularName: 'thing',
          kind: 'Thing',
          namespaced: true,
          verbs: ['get', 'list'],
          shortNames: ['th'],
        },
        { name: 'nothing/status', kind: 'Nothing', verbs: ['get'] },
        { name: 'boxes', singularName: '', kind: 'Box', namespaced: false, verbs: null },
        'garbage',
      ],
    });
    const boxes = { resource: 'boxes', responseKind: kind('Box'), scope: 'Cluster', singularResource: '', verbs: [] };
    assert.deepEqual(found, [things, boxes]);
  });

  it('are read from the right version in an aggregated discovery document', () => {
    const item = (name: string, ...versions: object[]) => ({ metadata: { name }, versions });
    const document = {
      kind: 'APIGroupDiscoveryList',
      items: [
        item('other', { version: 'v1', resources: [] }),
        item('g', { version: 'v2', resources: [] }, { version: 'v1', resources: [{ ...things, secret: 1 }] }),
      ],
    };
    assert.deepEqual(fromAggregated(document, 'g', 'v1'), [things]);
    assert.deepEqual(fromAggregated(document, 'g', 'v2'), []);
    assert.equal(fromAggregated(document, 'g', 'v3'), undefined);
  });

  for (const value of [undefined, null, 1, 'x', [], {}, { kind: 'Status' }, { kind: 'APIGroupDiscoveryList' }]) {
    it(`are unknown for ${JSON.stringify(value)}`, () => {
      assert.equal(fromList(value), undefined);
      assert.equal(fromAggregated(value, 'g', 'v1'), undefined);
    });
  }
});
