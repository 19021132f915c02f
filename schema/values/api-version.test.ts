import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { groupOf, shortGroupOf, versionOf } from './api-version.ts';

const naming = createNaming('orch');

const table: readonly [apiVersion: string, group: string, short: string, version: string][] = [
  ['v1', '', '', 'v1'],
  ['apps/v1', 'apps', 'apps', 'v1'],
  [naming.apiVersion('batch', 'v1'), naming.group('batch'), 'batch', 'v1'],
  [
    naming.apiVersion('rbac.authorization', 'v1beta1'),
    naming.group('rbac.authorization'),
    'rbac.authorization',
    'v1beta1',
  ],
  ['stable.example.com/v2', 'stable.example.com', 'stable.example.com', 'v2'],
  ['', '', '', ''],
  ['/v1', '', '', 'v1'],
  ['apps/', 'apps', 'apps', ''],
  ['apps/v1/scale', 'apps/v1', 'apps/v1', 'scale'],
];

describe('groupOf, shortGroupOf and versionOf', () => {
  for (const [apiVersion, group, short, version] of table) {
    it(JSON.stringify(apiVersion), () => {
      assert.deepEqual(
        [groupOf(apiVersion), shortGroupOf(naming, apiVersion), versionOf(apiVersion)],
        [group, short, version],
      );
    });
  }
});
