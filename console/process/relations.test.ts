import assert from 'node:assert/strict';
import type { DiscoveredType } from '#client/discovery/discovered.ts';
import { Families, type TypedMetadata } from '#client/owned-objects.ts';
import type { Relative } from '../protocol/object-messages.ts';
import { relationsOf } from './relations.ts';

const type = (kind: string): DiscoveredType => ({
  group: '',
  version: 'v1',
  plural: `${kind.toLowerCase()}s`,
  kind,
  namespaced: true,
  singular: '',
  shortNames: [],
  categories: [],
  verbs: [],
  subresources: [],
});

const object = (kind: string, name: string, ...owners: string[]): TypedMetadata => ({
  type: type(kind),
  object: {
    metadata: {
      name,
      uid: name,
      namespace: 'shop',
      ownerReferences: owners.map((uid) => ({ apiVersion: 'v1', kind: '', name: uid, uid })),
    },
  },
});

const text = ({ kind, name, owned }: Relative): string =>
  `${kind}/${name}${owned.length === 0 ? '' : `(${owned.map(text).join(' ')})`}`;

const web = object('Deployment', 'web');
const set = object('ReplicaSet', 'web-1', 'web');
const pods = ['b', 'a'].map((name) => object('Pod', name, 'web-1'));

const cases: readonly [what: string, all: TypedMetadata[], self: TypedMetadata, owners: string, tree: string][] = [
  ['an object at the top', [web, set, ...pods], web, '', 'Deployment/web(ReplicaSet/web-1(Pod/a Pod/b))'],
  ['an object in the middle', [web, set, ...pods], set, 'Deployment/web', 'ReplicaSet/web-1(Pod/a Pod/b)'],
  ['an object at the bottom', [web, set, ...pods], pods[0]!, 'Deployment/web ReplicaSet/web-1', 'Pod/b'],
  ['an object whose owner is gone', [set, ...pods], set, '', 'ReplicaSet/web-1(Pod/a Pod/b)'],
  [
    'objects that own each other',
    [object('A', 'a', 'b'), object('B', 'b', 'a')],
    object('A', 'a', 'b'),
    'A/a B/b',
    'A/a(B/b)',
  ],
];

describe('relationsOf', () => {
  for (const [what, all, self, owners, tree] of cases)
    it(what, () => {
      const relations = relationsOf(new Families(all, new Map(), false), self);
      assert.deepEqual([relations.owners.map(text).join(' '), text(relations.self)], [owners, tree]);
    });

  it('limits the number of objects', () => {
    const many = Array.from({ length: 2_000 }, (_, at) => object('Pod', `pod-${at}`, 'web'));
    const { self, isCut } = relationsOf(new Families([web, ...many], new Map(), false), web);
    assert.deepEqual([self.owned.length, isCut], [999, true]);
  });
});
