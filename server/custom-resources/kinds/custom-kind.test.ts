import assert from 'node:assert/strict';
import type { StatusError } from '#base/errors/status-error.ts';
import type { CustomResourceDefinition } from '#schema/generated/apiextensions.v1.ts';
import { customKind } from './custom-kind.ts';

describe('a custom kind', () => {
  it('whose definition is being deleted refuses new objects, with its name in the error', () => {
    const names = { plural: 'widgets', kind: 'Widget' };
    const definition = {
      metadata: { name: 'widgets.example.com', deletionTimestamp: '2026-01-01T00:00:00Z' },
      spec: { group: 'example.com', scope: 'Namespaced', names, versions: [] },
      status: { acceptedNames: names, conditions: [], storedVersions: [] },
    } as unknown as CustomResourceDefinition;
    const { rules } = customKind(definition, {} as never, {} as never);
    assert.throws(
      () => rules?.prepareForCreate?.({} as never, {} as never),
      (error: StatusError) => {
        assert.equal(error.status.code, 405);
        assert.deepEqual(error.status.details, { group: 'example.com', kind: 'widgets' });
        return true;
      },
    );
  });
});
