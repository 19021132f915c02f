import assert from 'node:assert/strict';
import { orderedGroups, type RankedVersion } from './group-order.ts';

function version(name: string, groupPriority: number, versionPriority: number): RankedVersion {
  const [version = '', ...group] = name.split('.');
  return { group: group.join('.'), version, groupPriority, versionPriority };
}

describe('orderedGroups', () => {
  const table: Record<string, [versions: RankedVersion[], expected: string[]]> = {
    'sorts groups by priority': [
      [version('v1.a', 10, 1), version('v1.b', 20, 1)],
      ['b: v1', 'a: v1'],
    ],
    'uses the highest priority of a group': [
      [version('v1.a', 15, 1), version('v1.b', 10, 1), version('v2.b', 20, 1)],
      ['b: v2, v1', 'a: v1'],
    ],
    'sorts groups of equal priority by the names of their APIServices': [
      [version('v1beta1.a', 10, 1), version('v1.b', 10, 1)],
      ['b: v1', 'a: v1beta1'],
    ],
    'sorts versions by priority before their names': [
      [version('v1.a', 10, 1), version('v1alpha1.a', 10, 2)],
      ['a: v1alpha1, v1'],
    ],
    'sorts versions of equal priority by stability and number': [
      [version('v1beta1.a', 10, 1), version('v1.a', 10, 1), version('v10.a', 10, 1), version('v2.a', 10, 1)],
      ['a: v10, v2, v1, v1beta1'],
    ],
  };
  for (const [title, [versions, expected]] of Object.entries(table)) {
    it(title, () => {
      const shown = orderedGroups(versions).map(({ name, versions: list }) => `${name}: ${list.join(', ')}`);
      assert.deepEqual(shown, expected);
      assert.deepEqual(
        orderedGroups([...versions].reverse()).map(({ name, versions: list }) => `${name}: ${list.join(', ')}`),
        expected,
      );
    });
  }
});
