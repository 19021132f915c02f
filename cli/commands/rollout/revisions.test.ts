import assert from 'node:assert/strict';
import { JsonNumber } from '#base/json/json-value.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Session } from '../../connection/session.ts';
import type { Found } from '../../resources/found.ts';
import { revisionNumber, revisionsOf } from './revisions.ts';
import { rolloutStatus } from './status.ts';

const naming = createNaming('orch');
const KEY = naming.key('deployment/revision');

describe('revisions of a rollout', () => {
  for (const [value, number] of [
    ['3', 3n],
    [7, 7n],
    ['9007199254740993', 9_007_199_254_740_993n],
    [new JsonNumber('9223372036854775807'), 9_223_372_036_854_775_807n],
    ['+2', 2n],
    ['-1', -1n],
    ['1.5', 0n],
    ['many', 0n],
    ['', 0n],
    [undefined, 0n],
  ] as const)
    it(`revisionNumber reads ${typeof value} ${value}`, () => assert.equal(revisionNumber(value), number));

  it('above 2^53 are distinguished and sorted', async () => {
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u', controller: true };
    const items = ['9007199254740993', '2', '9007199254740992', 'none'].map((text) => ({
      metadata: { name: text, annotations: { [KEY]: text }, ownerReferences: [owner] },
    }));
    const pages = async function* () {
      yield { items };
    };
    const session = {
      typeNamed: async () => ({ group: 'apps', version: 'v1', kind: 'ReplicaSet' }),
      naming: async () => naming,
      client: async () => ({ resource: () => ({ in: () => ({ pages }) }) }),
    } as unknown as Session;
    const web = { type: { kind: 'Deployment' }, object: { metadata: { name: 'web', uid: 'u' } } } as unknown as Found;
    const names = (await revisionsOf(session, web)).map(({ holder }) => holder.metadata.name);
    assert.deepEqual(names, ['2', '9007199254740992', '9007199254740993']);
  });

  it('above 2^53 are distinguished by rollout status', () => {
    const web = { metadata: { name: 'web', annotations: { [KEY]: '9007199254740993' } } } as unknown as ApiObject;
    assert.throws(
      () => rolloutStatus(web, 'Deployment', 9_007_199_254_740_992n, KEY),
      /desired revision \(9007199254740992\) is different from the running revision \(9007199254740993\)/,
    );
    assert.doesNotThrow(() => rolloutStatus(web, 'Deployment', 9_007_199_254_740_993n, KEY));
  });
});
