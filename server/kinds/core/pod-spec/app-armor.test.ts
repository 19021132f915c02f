import assert from 'node:assert/strict';
import { FieldPath } from '#base/errors/field-error.ts';
import { validateAppArmorProfile } from './app-armor.ts';

describe('validateAppArmorProfile', () => {
  const only = 'p.localhostProfile: Invalid value: "a": can only be set when AppArmor type is Localhost';
  const needed = 'p.localhostProfile: Required value: must be set when AppArmor type is Localhost';
  for (const [profile, errors] of [
    [undefined, []],
    [{ type: 'RuntimeDefault' }, []],
    [{ type: 'Localhost', localhostProfile: 'a' }, []],
    [{ type: '' }, ['p.type: Required value: type is required when appArmorProfile is set']],
    [
      { type: 'Nonsense' },
      ['p.type: Unsupported value: "Nonsense": supported values: "Localhost", "RuntimeDefault", "Unconfined"'],
    ],
    [{ type: 'Unconfined', localhostProfile: 'a' }, [only]],
    [{ type: 'Localhost' }, [needed]],
    [
      { type: 'Localhost', localhostProfile: ' a' },
      ['p.localhostProfile: Invalid value: " a": must not be padded with whitespace'],
    ],
    [
      { type: 'Localhost', localhostProfile: 'a'.repeat(4096) },
      ['p.localhostProfile: Too long: must have at most 4095 bytes'],
    ],
  ] as const) {
    it(`returns ${JSON.stringify(errors)} for ${JSON.stringify(profile)?.slice(0, 60)}`, () => {
      assert.deepEqual(
        validateAppArmorProfile(profile, new FieldPath('p')).map(({ text }) => text),
        errors,
      );
    });
  }
});
