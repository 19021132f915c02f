import assert from 'node:assert/strict';
import { aroundAll } from '../testing/around-all.ts';
import type { TestReplica } from '../testing/replica.ts';

const NAMESPACE = '/api/v1/namespaces/default';

describe('a binding', () => {
  let replica: TestReplica;

  aroundAll((started) => {
    replica = started;
  });

  before(async () => {
    await replica.call('POST', `${NAMESPACE}/serviceaccounts`, { body: { metadata: { name: 'default' } } });
    const body = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    assert.equal((await replica.call('POST', `${NAMESPACE}/pods`, { body })).status, 201);
  });

  const target = { name: 'n' };
  // The order matters: a bound pod stays bound.
  const cases: [path: string, body: object, status: number][] = [
    ['pods/p/binding', { target }, 400],
    ['pods/p/binding', { metadata: { name: 'q' }, target }, 400],
    ['pods/p/binding', { metadata: { name: 'p', namespace: 'x' }, target }, 400],
    ['pods/p/binding', { metadata: { name: 'p' } }, 422],
    ['bindings', { target }, 400],
    ['bindings', { metadata: { name: 'q' }, target }, 404],
    ['pods/p/binding', { metadata: { name: 'p' }, target }, 201],
    ['bindings', { metadata: { name: 'p' }, target }, 409],
  ];
  for (const [path, body, status] of cases) {
    it(`gets ${status} for ${JSON.stringify(body)} at ${path}`, async () => {
      const answer = await replica.call('POST', `${NAMESPACE}/${path}`, { body });
      assert.equal(answer.status, status, answer.text);
    });
  }
});
