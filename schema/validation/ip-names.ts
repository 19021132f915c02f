import type { FieldPath } from '#base/errors/field-error.ts';
import { canonicalIp, cidrText, ipText, parseCidr, parseIp } from './ip.ts';

/** Matches a number of several digits that begins with a zero, in an IPv4 address or in the length of a prefix. */
const LEADING_ZERO = /(^|[.:/])0\d+($|[./])/;

/** Whether an IPv4 address or range has the IPv6 form `::ffff:1.2.3.4`. */
function isMapped(text: string): boolean {
  const [host = ''] = text.split('/');
  return host.includes(':') && parseIp(host)?.kind() === 'ipv4';
}

/** The spelling rules of addresses or ranges, for fields that are older than these rules. */
export interface Spelling {
  /**
   * Whether every program must understand each text in the same way. Otherwise every text is valid that the server can
   * parse.
   */
  readonly strict: boolean;
  /** Texts that the object already has. They are never refused. */
  readonly kept?: ReadonlySet<string | undefined>;
}

/**
 * Problems of an address in a field that is older than the rules about spelling.
 * @example ipSpelling('010.0.0.1', { strict: true }) // => ['must not have leading 0s']
 * @example ipSpelling('010.0.0.1', { strict: false }) // => []
 */
export function ipSpelling(text: string, { strict, kept }: Spelling): string[] {
  if (kept?.has(text)) return [];
  return strict ? strictIpText(text) : ipText(text);
}

/** Like {@link ipSpelling}, for a range of addresses. */
export function cidrSpelling(text: string, { strict, kept }: Spelling): string[] {
  if (kept?.has(text)) return [];
  return strict ? strictCidrText(text) : cidrText(text);
}

/** Problems of an address that programs could understand in different ways. */
function strictIpText(text: string): string[] {
  if (parseIp(text) === undefined) return ipText(text);
  if (text.includes('.') && LEADING_ZERO.test(text)) return ['must not have leading 0s'];
  return isMapped(text) ? ['must not be an IPv4-mapped IPv6 address'] : [];
}

/** Problems of a range that programs could understand in different ways. */
function strictCidrText(text: string): string[] {
  const range = parseCidr(text);
  if (range === undefined) return cidrText(text);
  const ofLength = text.slice(text.indexOf('/'));
  if (LEADING_ZERO.test(ofLength) || (text.includes('.') && LEADING_ZERO.test(text)))
    return ['must not have leading 0s in IP or prefix length'];
  if (isMapped(text)) return ['must not have an IPv4-mapped IPv6 address'];
  const exact = canonicalIp(range.network) === canonicalIp(range.address);
  return exact ? [] : ['must not have bits set beyond the prefix length'];
}

/**
 * Warnings about an address that is accepted, but is not in the canonical form of its family.
 * @param path the place of the address
 */
export function ipWarnings(text: string, path: FieldPath): string[] {
  const address = parseIp(text);
  if (address === undefined) return [];
  const form = JSON.stringify(canonicalIp(address));
  if (strictIpText(text).length > 0) return [`${path}: non-standard IP address "${text}" is invalid: use ${form}`];
  if (canonicalIp(address) === text) return [];
  return [`${path}: IPv6 address "${text}" should be in RFC 5952 canonical format (${form})`];
}

/** Like {@link ipWarnings}, for a range of addresses. */
export function cidrWarnings(text: string, path: FieldPath): string[] {
  const range = parseCidr(text);
  if (range === undefined) return [];
  const [network, address] = [canonicalIp(range.network), canonicalIp(range.address)];
  const form = JSON.stringify(`${network}/${range.bits}`);
  const warnings: string[] = [];
  if (network !== address) {
    const single = JSON.stringify(`${address}/${range.family === 'IPv4' ? 32 : 128}`);
    warnings.push(`${path}: CIDR value "${text}" is ambiguous in this context (should be ${form} or ${single}?)`);
  }
  const zeros = strictCidrText(text).some((problem) => problem.includes('leading 0s'));
  if (zeros || isMapped(text)) warnings.push(`${path}: non-standard CIDR value "${text}" is invalid: use ${form}`);
  if (warnings.length > 0 || form === JSON.stringify(text)) return warnings;
  return [`${path}: IPv6 CIDR value "${text}" should be in RFC 5952 canonical format (${form})`];
}

/** The words of releases before 1.33, after the path, about an address or a range that a later release may refuse. */
const refusedLater = (what: string, product: string, why: string): string =>
  `IP ${what} was accepted, but will be invalid in a future ${product} release: ${why}`;

/** The words of releases before 1.33, after the path, about a form that is not canonical. */
const otherForm = (what: string, text: string, form: string): string =>
  `IPv6 ${what} "${text}" is not in RFC 5952 canonical format ("${form}"), which may cause controller apply-loops`;

/**
 * Warnings like those of {@link ipWarnings}, in the words of releases before 1.33.
 *
 * @param product the name of the product in the warnings
 * @example earlierIpWarnings('10.0.0.1', new FieldPath('ip'), 'Product') // => []
 */
export function earlierIpWarnings(text: string, path: FieldPath, product: string): string[] {
  const address = parseIp(text);
  if (address === undefined) return [];
  const refusal = zeroRefusal(text);
  if (refusal !== undefined) return [`${path}: ${refusedLater('address', product, refusal)}`];
  const form = canonicalIp(address);
  return isMapped(text) || form === text ? [] : [`${path}: ${otherForm('address', text, form)}`];
}

/**
 * Warnings like those of {@link cidrWarnings}, in the words of releases before 1.33.
 *
 * @param product the name of the product in the warnings
 * @example earlierCidrWarnings('10.0.0.1/24', new FieldPath('range'), 'Product') // => []
 */
export function earlierCidrWarnings(text: string, path: FieldPath, product: string): string[] {
  const range = parseCidr(text);
  if (range === undefined) return [];
  const [host = '', length = ''] = text.split('/');
  const refusal =
    zeroRefusal(host) ?? (/^0./.test(length) ? `bad bits after slash: ${JSON.stringify(length)}` : undefined);
  if (refusal !== undefined) {
    const why = `netip.ParsePrefix(${JSON.stringify(text)}): ${refusal}`;
    return [`${path}: ${refusedLater('prefix', product, why)}`];
  }
  const form = `${canonicalIp(range.address)}/${range.bits}`;
  return isMapped(text) || form === text ? [] : [`${path}: ${otherForm('prefix', text, form)}`];
}

/** Why a parser that refuses leading zeros (`010`) refuses an address. */
function zeroRefusal(text: string): string | undefined {
  if (!text.includes('.') || !LEADING_ZERO.test(text)) return undefined;
  return `ParseAddr(${JSON.stringify(text)}): IPv4 field has octet with leading zero`;
}

/**
 * Problems of a text that must be an address in the canonical form of its family. The name of an address object is such
 * a text.
 */
export function canonicalIpText(text: string): string[] {
  const problems = strictIpText(text);
  if (problems.length > 0) return problems;
  const canonical = canonicalIp(parseIp(text)!);
  return canonical === text ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
}

/** Problems of a text that must be a network in the canonical form of its family. */
export function canonicalCidrText(text: string): string[] {
  const problems = strictCidrText(text);
  if (problems.length > 0) return problems;
  const range = parseCidr(text)!;
  const canonical = `${canonicalIp(range.network)}/${range.bits}`;
  return canonical === text ? [] : [`must be in canonical form (${JSON.stringify(canonical)})`];
}
