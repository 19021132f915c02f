import assert from 'node:assert/strict';
import type { CatalogKind } from '../protocol/messages.ts';
import { linkOfCell, linkOfOwner, type RowLink } from './row-links.ts';

const kind = (name: string, group: string, isNamespaced: boolean): CatalogKind => ({
  id: `${name.toLowerCase()}s.v1.${group}`,
  plural: `${name.toLowerCase()}s`,
  kind: name,
  group,
  version: 'v1',
  shortNames: [],
  isNamespaced,
  verbs: ['list'],
});
const [pod, node, set] = [kind('Pod', '', true), kind('Node', '', false), kind('ReplicaSet', 'apps', true)];
const kinds = [pod, node, set];
const text = (link: RowLink | undefined) => link && `${link.kind.id} ${link.namespace}/${link.name}`;

describe('linkOfCell', () => {
  const cells: readonly [column: string, cell: string, link: string | undefined][] = [
    ['Node', 'node-1', 'nodes.v1. /node-1'],
    ['Node', '<none>', undefined],
    ['Node', '', undefined],
    ['Status', 'running', undefined],
    ['Pod', 'other', undefined],
    ['ReplicaSet', 'web', 'replicasets.v1.apps shop/web'],
  ];
  for (const [column, cell, link] of cells)
    it(`links to ${link ?? 'nothing'} if ${column} is "${cell}"`, () =>
      assert.equal(text(linkOfCell(kinds, pod, column, { namespace: 'shop' }, cell)), link));
});

describe('linkOfOwner', () => {
  const owners: readonly [apiVersion: string, kind: string, link: string | undefined][] = [
    ['apps/v1', 'ReplicaSet', 'replicasets.v1.apps shop/web'],
    ['apps/v1beta1', 'ReplicaSet', 'replicasets.v1.apps shop/web'],
    ['v1', 'Node', 'nodes.v1. /web'],
    ['v1', 'ReplicaSet', undefined],
    ['example.com/v1', 'Gone', undefined],
  ];
  for (const [apiVersion, name, link] of owners)
    it(`links to ${link ?? 'nothing'} for a ${name} of ${apiVersion}`, () =>
      assert.equal(text(linkOfOwner(kinds, { apiVersion, kind: name, name: 'web' }, 'shop')), link));
});
