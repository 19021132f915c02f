import { append } from '#base/collections/append.ts';
import {
  duplicate,
  type FieldError,
  FieldPath,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import { type Entry, inForce, until } from '#base/release/in-force.ts';
import { csiDriverVersions, SELINUX_GATE } from '#schema/conversion/storage/csi-driver.ts';
import type { CSIDriver, CSIDriverSpec, TokenRequest } from '#schema/generated/storage.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import { semanticallyEqual, validateImmutable } from '#schema/validation/immutable.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { defineKind } from '../define-kind.ts';

const SPEC = new FieldPath('spec');
const GROUP_POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'];
const LIFECYCLE_MODES = ['Persistent', 'Ephemeral'];
const MIN_TOKEN_SECONDS = 600;
const MIN_PERIOD_SECONDS = 10;
const MAX_TOKEN_SECONDS = 2 ** 32;

/** Validates requests for tokens. Their audiences differ, and each token is valid for at least ten minutes. */
function validateTokenRequests(requests: readonly TokenRequest[], path: FieldPath): FieldError[] {
  const audiences = new Set<string>();
  return requests.flatMap(({ audience, expirationSeconds }, i) => {
    const at = path.index(i);
    if (audiences.has(audience)) return [duplicate(at.child('audience'), audience)];
    audiences.add(audience);
    const seconds = Number(expirationSeconds ?? MIN_TOKEN_SECONDS);
    if (seconds < MIN_TOKEN_SECONDS) {
      const detail = 'may not specify a duration less than 10 minutes';
      return [invalidValue(at.child('expirationSeconds'), expirationSeconds, detail)];
    }
    if (seconds <= MAX_TOKEN_SECONDS) return [];
    const detail = 'may not specify a duration larger than 2^32 seconds';
    return [invalidValue(at.child('expirationSeconds'), expirationSeconds, detail)];
  });
}

function validate({ spec }: CSIDriver, { gates }: WriteContext): FieldError[] {
  const needed = ['attachRequired', 'podInfoOnMount', 'storageCapacity'] as const;
  const errors = needed.filter((field) => spec[field] === undefined).map((field) => required(SPEC.child(field)));
  const { fsGroupPolicy: policy } = spec;
  if (policy === undefined) errors.push(required(SPEC.child('fsGroupPolicy')));
  else if (!GROUP_POLICIES.includes(policy)) {
    errors.push(notSupported(SPEC.child('fsGroupPolicy'), policy, GROUP_POLICIES));
  }
  append(errors, validateTokenRequests(spec.tokenRequests ?? [], SPEC.child('tokenRequests')));
  for (const mode of spec.volumeLifecycleModes ?? []) {
    if (LIFECYCLE_MODES.includes(mode)) continue;
    errors.push(notSupported(SPEC.child('volumeLifecycleModes'), mode, LIFECYCLE_MODES));
  }
  const { nodeAllocatableUpdatePeriodSeconds: period, serviceAccountTokenInSecrets: inSecrets } = spec;
  if (period !== undefined && Number(period) < MIN_PERIOD_SECONDS) {
    const path = SPEC.child('nodeAllocatableUpdatePeriodSeconds');
    errors.push(invalidValue(path, period, `must be greater than or equal to ${MIN_PERIOD_SECONDS} seconds`));
  }
  if (inSecrets !== undefined && (spec.tokenRequests ?? []).length === 0) {
    const detail = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
    errors.push(invalidValue(SPEC.child('serviceAccountTokenInSecrets'), inSecrets, detail));
  }
  if (gates.enabled(SELINUX_GATE) && spec.seLinuxMount === undefined) errors.push(required(SPEC.child('seLinuxMount')));
  return errors;
}

/** Fields of drivers that must not change, with their names in errors. */
const FIXED: readonly Entry<readonly [field: keyof CSIDriverSpec, shownAs: string]>[] = [
  ['attachRequired', 'attachedRequired'],
  until('1.30', ['fsGroupPolicy', 'fsGroupPolicy'] as const),
  until('1.30', ['podInfoOnMount', 'podInfoOnMount'] as const),
  ['volumeLifecycleModes', 'volumeLifecycleModes'],
];

/** The warning about a driver that gets tokens among volume attributes, because it may log them. */
function tokenWarnings({ spec }: CSIDriver, old: CSIDriver | undefined, { gates }: WriteContext): string[] {
  const requests = spec.tokenRequests ?? [];
  if (!gates.enabled('CSIServiceAccountTokenSecrets') || requests.length === 0) return [];
  if (spec.serviceAccountTokenInSecrets !== undefined) return [];
  if (old !== undefined && semanticallyEqual(old.spec.tokenRequests, requests)) return [];
  return [
    'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible ' +
      'logging of tokens in volume attributes',
  ];
}

/** The kind of descriptions of volume plug-ins: their abilities, and the data that they need. */
export const csiDriver = defineKind('storage/csidrivers', {
  versions: csiDriverVersions,
  prepareForCreate(object, { gates }) {
    if (!gates.enabled(SELINUX_GATE)) delete object.spec.seLinuxMount;
  },
  prepareForUpdate(object, old, { gates }) {
    if (!gates.enabled(SELINUX_GATE) && old.spec.seLinuxMount === undefined) delete object.spec.seLinuxMount;
  },
  validate,
  validateUpdate: (object, old, context) => [
    ...validate(object, context),
    ...inForce(context.release, FIXED).flatMap(([field, shownAs]) =>
      validateImmutable(object.spec[field], old.spec[field], SPEC.child(shownAs)),
    ),
    ...validateTokenRequests(object.spec.tokenRequests ?? [], SPEC.child('tokenRequests')),
  ],
  warnings: tokenWarnings,
  cells: ({ metadata, spec }, { now }) => [
    metadata.name ?? '',
    spec.attachRequired ?? true,
    spec.podInfoOnMount ?? false,
    spec.storageCapacity ?? false,
    (spec.tokenRequests ?? []).length === 0
      ? '<unset>'
      : (spec.tokenRequests ?? []).map(({ audience }) => audience).join(','),
    spec.requiresRepublish ?? false,
    (spec.volumeLifecycleModes ?? []).join(',') || '<none>',
    age(metadata.creationTimestamp, now),
  ],
});
