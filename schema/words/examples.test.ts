import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { exampleOf } from './examples.ts';

describe('exampleOf', () => {
  const orch = createNaming('orch');

  it('gives a manifest of a kind', async () => {
    assert.match((await exampleOf('v1', 'ConfigMap', orch))!, /^apiVersion: v1\nkind: ConfigMap\n/);
    assert.match((await exampleOf('apps/v1', 'Deployment', orch))!, /^kind: Deployment$/m);
  });

  it('uses the names of the naming profile', async () => {
    const naming = createNaming('kubernetes');
    const apiVersion = naming.apiVersion('networking', 'v1');
    assert.ok((await exampleOf(apiVersion, 'Ingress', naming))!.startsWith(`apiVersion: ${apiVersion}\n`));
  });

  it('returns undefined for other kinds', async () => {
    assert.equal(await exampleOf('example.com/v1', 'Gizmo', orch), undefined);
    assert.equal(await exampleOf('constructor', '', orch), undefined);
  });
});
