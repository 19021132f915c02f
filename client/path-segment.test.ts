import assert from 'node:assert/strict';
import { NameError, pathSegment } from './path-segment.ts';
import { FakeServer } from './testing/fake-server.ts';

const pods = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };

describe('pathSegment', () => {
  const good: readonly (readonly [name: string, segment: string])[] = [
    ['a', 'a'],
    ['a.b', 'a.b'],
    ['...', '...'],
    ['system:node', 'system%3Anode'],
    ['a b?c#d', 'a%20b%3Fc%23d'],
  ];
  for (const [name, segment] of good) it(name, () => assert.equal(pathSegment(name), segment));

  const bad: readonly (readonly [name: string, said: string])[] = [
    ['', 'resource name may not be empty'],
    ['.', `invalid resource name ".": [may not be '.']`],
    ['..', `invalid resource name "..": [may not be '..']`],
    ['a/b', `invalid resource name "a/b": [may not contain '/']`],
    ['%2e', `invalid resource name "%2e": [may not contain '%']`],
    ['../%', `invalid resource name "../%": [may not contain '/' may not contain '%']`],
  ];
  for (const [name, message] of bad)
    it(JSON.stringify(name), () => assert.throws(() => pathSegment(name), new NameError(message)));

  it('uses the word namespace in the error for a namespace', () =>
    assert.throws(() => pathSegment('..', 'namespace'), new NameError(`invalid namespace "..": [may not be '..']`)));

  describe('an invalid name sends no request', () => {
    const server = new FakeServer([pods]);
    const there = server.client.resource(pods).in('one');
    const object = (name: string | undefined) => ({ metadata: name === undefined ? {} : { name } });
    for (const name of ['', '..', undefined])
      for (const [verb, ask] of Object.entries({
        get: () => there.get(name!),
        delete: () => there.delete(name!),
        patch: () => there.patch(name!, 'merge', {}),
        update: () => there.update(object(name)),
        apply: () => there.apply(object(name), { fieldManager: 'm' }),
        'delete in the namespace ..': () => server.client.resource(pods).in('..').delete('a'),
      }))
        it(`${verb} ${JSON.stringify(name)}`, async () => {
          await assert.rejects(async () => ask(), NameError);
          assert.deepEqual(server.calls, []);
        });
  });
});
