import { append } from '#base/collections/append.ts';
import { type FieldError, type FieldPath, invalidValue } from '#base/errors/field-error.ts';
import type { LoadBalancerStatus } from '#schema/generated/core.v1.ts';
import { parseIp } from '#schema/validation/ip.ts';
import { ipSpelling } from '#schema/validation/ip-names.ts';
import { dns1123Subdomain } from '#schema/validation/names.ts';
import { validateText } from '#schema/validation/reference.ts';
import type { WriteContext } from '../../api/resource-definition.ts';
import { STRICT_SPELLING } from './strict-spelling.ts';

/**
 * Validates addresses and host names at which a load balancer answers. Its ports may have any number. `old` is the
 * status before a change.
 */
export function validateLoadBalancerStatus(
  status: LoadBalancerStatus | undefined,
  old: LoadBalancerStatus | undefined,
  path: FieldPath,
  { gates }: Pick<WriteContext, 'gates'>,
): FieldError[] {
  const strict = gates.enabled(STRICT_SPELLING);
  const kept = new Set(strict ? (old?.ingress ?? []).map(({ ip }) => ip) : []);
  return (status?.ingress ?? []).flatMap(({ ip = '', hostname = '' }, i) => {
    const at = path.child('ingress').index(i);
    const errors: FieldError[] = [];
    if (ip !== '' && strict) {
      append(
        errors,
        ipSpelling(ip, { strict, kept }).map((problem) => invalidValue(at.child('ip'), ip, problem)),
      );
    } else if (ip !== '' && parseIp(ip) === undefined) {
      errors.push(invalidValue(at.child('ip'), ip, 'must be a valid IP address'));
    }
    if (hostname === '') return errors;
    append(errors, validateText(hostname, dns1123Subdomain, at.child('hostname')));
    if (parseIp(hostname) !== undefined) {
      errors.push(invalidValue(at.child('hostname'), hostname, 'must be a DNS name, not an IP address'));
    }
    return errors;
  });
}

/** The addresses of a load balancer in a table, each once, in order. */
export function loadBalancerAddresses(status: LoadBalancerStatus | undefined): string {
  const addresses = (status?.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '');
  return [...new Set(addresses.filter((address) => address !== ''))].sort().join(',');
}
