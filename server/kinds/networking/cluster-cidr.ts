import { append } from '#base/collections/append.ts';
import { type FieldError, FieldPath, invalidValue, required } from '#base/errors/field-error.ts';
import type { ClusterCIDRSpec } from '#schema/generated/networking.v1alpha1.ts';
import { age } from '#schema/validation/human-duration.ts';
import { validateImmutable } from '#schema/validation/immutable.ts';
import { type IpFamily, parseCidr } from '#schema/validation/ip.ts';
import { validateKindMetadata } from '#schema/validation/kind-metadata.ts';
import { labelName } from '#schema/validation/names.ts';
import { validateNodeSelector } from '#schema/validation/node-selector.ts';
import { defineKind } from '../define-kind.ts';
import { nodeSelectorText } from './node-selector-text.ts';

const ADDRESS_BITS = { IPv4: 32, IPv6: 128 } as const;
const MIN_HOST_BITS = 4;
const FIXED = ['nodeSelector', 'perNodeHostBits', 'ipv4', 'ipv6'] as const;
const spec = new FieldPath('spec');

/** Validates the range of one family, and that the addresses of a node fit into it. */
function validateRange(text: string, family: IpFamily, hostBits: number): FieldError[] {
  const at = spec.child(family);
  const range = parseCidr(text);
  if (range === undefined) return [invalidValue(at, text, `must be a valid CIDR: ${text}`)];
  const errors: FieldError[] = [];
  if (range.family !== family) errors.push(invalidValue(at, text, `must be a valid ${family} CIDR`));
  const bits = spec.child('perNodeHostBits');
  const most = ADDRESS_BITS[family] - range.bits;
  if (hostBits > most) errors.push(invalidValue(bits, hostBits, `must be less than or equal to ${most}`));
  if (hostBits < MIN_HOST_BITS) {
    errors.push(invalidValue(bits, hostBits, `must be greater than or equal to ${MIN_HOST_BITS}`));
  }
  return errors;
}

function validateSpec({ nodeSelector, ipv4 = '', ipv6 = '', perNodeHostBits = 0 }: Partial<ClusterCIDRSpec>) {
  const errors = nodeSelector === undefined ? [] : validateNodeSelector(nodeSelector, spec.child('nodeSelector'));
  if (ipv4 === '' && ipv6 === '')
    return [...errors, required(spec, 'one or both of `ipv4` and `ipv6` must be specified')];
  if (ipv4 !== '') append(errors, validateRange(ipv4, 'IPv4', perNodeHostBits));
  if (ipv6 !== '') append(errors, validateRange(ipv6, 'IPv6', perNodeHostBits));
  return errors;
}

/** The kind of ranges from which nodes get the addresses of their pods. A range never changes after its creation. */
export const clusterCidr = defineKind('networking/clustercidrs', {
  validateName: labelName,
  validate: (object) => validateSpec(object.spec ?? {}),
  validateUpdate: (object, old, { naming }) => [
    ...validateKindMetadata(object, { namespaced: false, validateName: labelName }, naming),
    ...validateSpec(object.spec ?? {}),
    ...FIXED.flatMap((field) => validateImmutable(object.spec?.[field], old.spec?.[field], spec.child(field))),
  ],
  cells: (object, { now }) => [
    object.metadata.name ?? '',
    String(object.spec?.perNodeHostBits ?? 0),
    object.spec?.ipv4 || '<none>',
    object.spec?.ipv6 || '<none>',
    age(object.metadata.creationTimestamp, now),
    nodeSelectorText(object.spec?.nodeSelector),
  ],
});
