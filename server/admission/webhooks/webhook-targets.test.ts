import assert from 'node:assert/strict';
import { type ReleaseName, releaseOf } from '#base/release/release.ts';
import { createFeatureGates } from '../../config/feature-gates.ts';
import type { Target } from '../plugin.ts';
import { mayAskWebhooks } from './webhook-dispatcher.ts';

describe('requests that webhooks are asked about', () => {
  const rows: readonly (readonly [group: string, resource: string, release: ReleaseName, asked: boolean])[] = [
    ['', 'pods', '1.37', true],
    ['admissionregistration', 'validatingwebhookconfigurations', '1.25', false],
    ['authentication', 'tokenreviews', '1.36', true],
    ['authentication', 'tokenreviews', '1.37', false],
    ['authorization', 'subjectaccessreviews', '1.36', true],
    ['authorization', 'subjectaccessreviews', '1.37', false],
    ['authorization', 'others', '1.37', true],
  ];
  for (const [group, resource, release, asked] of rows)
    it(`${asked ? 'include' : 'do not include'} ${resource} in ${release}`, () => {
      const gates = createFeatureGates(new Map(), releaseOf(release));
      const target = { group, resource, subresource: '', operation: 'CREATE' } as Target;
      assert.equal(mayAskWebhooks(gates)(target), asked);
    });
});
