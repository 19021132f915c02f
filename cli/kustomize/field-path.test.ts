import assert from 'node:assert/strict';
import type { JsonObject } from '#base/json/json-value.ts';
import { parseFieldPath, placesOf } from './field-path.ts';

const object = (): JsonObject => ({
  metadata: { name: 'web', labels: { 'example.com/app': 'a' } },
  spec: { containers: [{ name: 'c', ports: [80, 81] }, { name: 'd' }] },
});

describe('field paths', () => {
  const found: readonly [path: string, values: unknown[]][] = [
    ['metadata.name', ['web']],
    ['metadata.labels.[example.com/app]', ['a']],
    ['metadata.labels.example\\.com/app', ['a']],
    ['spec.containers.[name=c].ports.1', [81]],
    ['spec.containers.*.name', ['c', 'd']],
    ['spec.containers.1.name', ['d']],
    ['spec.containers.2.name', []],
    ['spec.containers.[name=e].name', []],
    ['spec.missing.name', []],
    ['metadata.name.first', []],
    ['metadata.constructor', []],
  ];
  for (const [path, values] of found)
    it(`${path} leads to ${JSON.stringify(values)}`, () => {
      const places = placesOf(object(), parseFieldPath(path), false);
      assert.deepEqual(
        places.map((place) => place.get()),
        values,
      );
    });

  const made: readonly [path: string, after: (changed: JsonObject) => unknown, value: unknown][] = [
    [
      'metadata.annotations.[a.b/c]',
      (changed) => changed['metadata'],
      { ...(object()['metadata'] as JsonObject), annotations: { 'a.b/c': 'x' } },
    ],
    [
      'spec.containers.[name=e].image',
      (changed) => (changed['spec'] as { containers: unknown[] }).containers[2],
      { name: 'e', image: 'x' },
    ],
    [
      'spec.containers.*.image',
      (changed) => (changed['spec'] as { containers: unknown[] }).containers[1],
      { name: 'd', image: 'x' },
    ],
  ];
  for (const [path, after, value] of made)
    it(`${path} is created if it is missing`, () => {
      const changed = object();
      for (const place of placesOf(changed, parseFieldPath(path), true)) place.set('x');
      assert.deepEqual(after(changed), value);
    });

  it('are refused if they are invalid', () => {
    for (const path of ['', '..', 'a'.repeat(2000)])
      assert.throws(() => parseFieldPath(path), /is not a valid field path/);
  });
});
