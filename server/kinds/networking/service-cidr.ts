import { type FieldError, FieldPath, invalidValue, required } from '#base/errors/field-error.ts';
import type { ServiceCIDR } from '#schema/generated/networking.v1.ts';
import { age } from '#schema/validation/human-duration.ts';
import { IMMUTABLE } from '#schema/validation/immutable.ts';
import { parseCidr } from '#schema/validation/ip.ts';
import { canonicalCidrText } from '#schema/validation/ip-names.ts';
import { defineKind } from '../define-kind.ts';
import { keepAllButStatus, METADATA_AND_SPEC } from '../status-view.ts';

const CIDRS = new FieldPath('spec').child('cidrs');
const ONE_OF_EACH = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';

function validate({ spec }: ServiceCIDR): FieldError[] {
  const cidrs = spec?.cidrs ?? [];
  if (cidrs.length === 0) return [required(CIDRS, 'at least one CIDR required')];
  if (cidrs.length > 2) return [invalidValue(CIDRS, { CIDRs: cidrs }, 'may only hold up to 2 values')];
  const families = cidrs.flatMap((text) => parseCidr(text)?.family ?? []);
  return [
    ...cidrs.flatMap((text, i) =>
      canonicalCidrText(text).map((problem) => invalidValue(CIDRS.index(i), text, problem)),
    ),
    ...(families.length === 2 && families[0] === families[1] ? [invalidValue(CIDRS, cidrs, ONE_OF_EACH)] : []),
  ];
}

/** Validates a change. It may only add a range of the other address family. */
function validateChange(object: ServiceCIDR, old: ServiceCIDR): FieldError[] {
  const [now, before] = [object.spec?.cidrs ?? [], old.spec?.cidrs ?? []];
  const adds = before.length === 1 && now.length === 2;
  if (!adds && before.length !== now.length) return [invalidValue(CIDRS, now, IMMUTABLE)];
  return [
    ...before.flatMap((text, i) => (text === now[i] ? [] : [invalidValue(CIDRS.index(i), now[i], IMMUTABLE)])),
    ...(adds ? validate(object) : []),
  ];
}

/** The kind of cluster IP ranges. */
export const serviceCidr = defineKind('networking/servicecidrs', {
  validate,
  validateUpdate: validateChange,
  statusResets: METADATA_AND_SPEC,
  subresources: {
    // The client chooses the content of conditions.
    status: { prepareForUpdate: keepAllButStatus },
  },
  cells: ({ metadata, spec }, { now }) => [
    metadata.name ?? '',
    (spec?.cidrs ?? []).join(','),
    age(metadata.creationTimestamp, now),
  ],
});
