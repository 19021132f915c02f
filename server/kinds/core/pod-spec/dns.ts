import { append } from '#base/collections/append.ts';
import { type FieldError, type FieldPath, invalidValue, required } from '#base/errors/field-error.ts';
import type { HostAlias, PodDNSConfig } from '#schema/generated/core.v1.ts';
import { bounds } from '#schema/validation/bounds.ts';
import { parseIp } from '#schema/validation/ip.ts';
import { dns1123Subdomain, dns1123SubdomainWithUnderscores } from '#schema/validation/names.ts';

/** The largest lists of search domains. Classic resolvers support only a few domains. */
export interface SearchLimits {
  readonly domains: number;
  readonly characters: number;
}
export const CLASSIC_SEARCHES: SearchLimits = { domains: 6, characters: 256 };
export const EXPANDED_SEARCHES: SearchLimits = { domains: 32, characters: 2048 };
const MAX_SERVERS = bounds['core.v1.PodDNSConfig'].nameservers.maxItems;

/** The rules for search domains. `underscores` says whether their labels may contain underscores. */
export interface SearchRules extends SearchLimits {
  readonly underscores: boolean;
}

/** Validates the settings for the resolution of names in a pod. With the policy `None` a server is required. */
export function validateDnsConfig(
  config: PodDNSConfig | null | undefined,
  policy: string | undefined,
  limits: SearchRules,
  path: FieldPath,
): FieldError[] {
  const servers = config?.nameservers ?? [];
  if (policy === 'None') {
    if (config == null) return [required(path, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if (servers.length === 0) {
      const detail = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
      return [required(path.child('nameservers'), detail)];
    }
  }
  const errors: FieldError[] = [];
  if (servers.length > MAX_SERVERS) {
    errors.push(invalidValue(path.child('nameservers'), servers, `must not have more than ${MAX_SERVERS} nameservers`));
  }
  servers.forEach((server, i) => {
    if (parseIp(server) !== undefined) return;
    errors.push(invalidValue(path.child('nameservers').index(i), server, 'must be valid IP address'));
  });
  append(errors, validateSearches(config?.searches ?? [], limits, path.child('searches')));
  (config?.options ?? []).forEach(({ name }, i) => {
    if (!name) errors.push(required(path.child('options').index(i), 'must not be empty'));
  });
  return errors;
}

function validateSearches(searches: readonly string[], limits: SearchRules, path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  if (searches.length > limits.domains) {
    errors.push(invalidValue(path, searches, `must not have more than ${limits.domains} search paths`));
  }
  if (searches.join(' ').length > limits.characters) {
    const detail = `must not have more than ${limits.characters} characters (including spaces) in the search list`;
    errors.push(invalidValue(path, searches, detail));
  }
  searches.forEach((search, i) => {
    if (limits.underscores && search === '.') return;
    const name = search.replace(/\.$/, '');
    const check = limits.underscores ? dns1123SubdomainWithUnderscores : dns1123Subdomain;
    append(
      errors,
      check(name).map((problem) => invalidValue(path.index(i), name, problem)),
    );
  });
  return errors;
}

/** The first release in which errors of aliases name the alias: 1.30. */
const INDEXED = 30;

function noAddress(ip: string, path: FieldPath, at: FieldPath): FieldError {
  const later = invalidValue(at.child('ip'), ip, 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)');
  return { ...invalidValue(path.child('ip'), ip, 'must be valid IP address'), since: [[INDEXED, later]] };
}

/** Validates lines for a pod's hosts file. Errors do not name the line. */
export function validateHostAliases(aliases: readonly HostAlias[] | null | undefined, path: FieldPath): FieldError[] {
  return (aliases ?? []).flatMap(({ ip = '', hostnames }, i) => [
    ...(parseIp(ip) === undefined ? [noAddress(ip, path, path.index(i))] : []),
    ...(hostnames ?? []).flatMap((name, j) =>
      dns1123Subdomain(name).map((problem) => {
        const later = invalidValue(path.index(i).child('hostnames').index(j), name, problem);
        return { ...invalidValue(path.child('hostnames'), name, problem), since: [[INDEXED, later]] as const };
      }),
    ),
  ]);
}
