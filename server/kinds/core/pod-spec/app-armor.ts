import {
  type FieldError,
  type FieldPath,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '#base/errors/field-error.ts';
import type { AppArmorProfile } from '#schema/generated/core.v1.ts';
import { bounds } from '#schema/validation/bounds.ts';

const TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const NEEDED = 'must be set when AppArmor type is Localhost';
const { maxLength } = bounds['core.v1.AppArmorProfile'].localhostProfile;

/** What is wrong with the profile that confines a container. */
export function validateAppArmorProfile(profile: AppArmorProfile | null | undefined, path: FieldPath): FieldError[] {
  if (profile == null) return [];
  const { type = '', localhostProfile } = profile;
  const at = path.child('localhostProfile');
  if (type === '') return [required(path.child('type'), 'type is required when appArmorProfile is set')];
  if (!TYPES.includes(type)) return [notSupported(path.child('type'), type, TYPES)];
  if (type !== 'Localhost')
    return localhostProfile == null
      ? []
      : [invalidValue(at, localhostProfile, 'can only be set when AppArmor type is Localhost')];
  if (localhostProfile == null || localhostProfile === '') return [required(at, NEEDED)];
  const padded = localhostProfile.trim() !== localhostProfile;
  return [
    ...(padded ? [invalidValue(at, localhostProfile, 'must not be padded with whitespace')] : []),
    ...(Buffer.byteLength(localhostProfile) > maxLength ? [tooLong(at, '', maxLength)] : []),
  ];
}
