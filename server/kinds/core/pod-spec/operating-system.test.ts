import assert from 'node:assert/strict';
import { FieldPath } from '#base/errors/field-error.ts';
import { defaultRelease, latestRelease } from '#base/release/release.ts';
import type { PodSpec } from '#schema/generated/core.v1.ts';
import { validateOperatingSystem } from './operating-system.ts';

describe('validateOperatingSystem for Windows pods', () => {
  const spec: PodSpec = {
    os: { name: 'windows' },
    hostPID: true,
    securityContext: { runAsUser: 1, fsGroup: 1, appArmorProfile: { type: 'Unconfined' } },
    containers: [],
  };
  const fieldsIn = (release: typeof defaultRelease) =>
    validateOperatingSystem(spec, new FieldPath('spec'), { release }).map(({ field }) => field.replace('spec.', ''));
  const security = ['appArmorProfile', 'fsGroup', 'runAsUser'].map((field) => `securityContext.${field}`);

  it('refuses Linux fields, in the order of the release', () => {
    assert.deepEqual(fieldsIn(latestRelease), [...security, 'hostPID']);
    assert.deepEqual(fieldsIn(defaultRelease), [security[0], 'hostPID', security[1], security[2]]);
  });
});
