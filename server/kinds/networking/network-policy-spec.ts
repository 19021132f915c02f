import { append } from '#base/collections/append.ts';
import {
  declared,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from '#base/errors/field-error.ts';
import type {
  IPBlock,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from '#schema/generated/networking.v1.ts';
import { invalidShown, shownList } from '#schema/validation/go-list.ts';
import { isInside, parseCidr } from '#schema/validation/ip.ts';
import { cidrSpelling, cidrWarnings, type Spelling } from '#schema/validation/ip-names.ts';
import { validateLabelSelector } from '#schema/validation/label-selector.ts';
import { portNumber, validatePortNumberOrName } from '#schema/validation/ports.ts';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'] as const;
const POLICY_TYPES = ['Ingress', 'Egress'] as const;

/** The facts about the release and its gates for checks of a spec. */
export interface PolicySpecRules extends Spelling {
  /** Whether an error about a port range in wrong order names its end. */
  readonly showsEndPort: boolean;
}

/** Every range of addresses of a policy, with its path. */
export function policyRanges(spec: NetworkPolicySpec): { readonly text: string; readonly path: FieldPath }[] {
  const ofPeers = (peers: readonly NetworkPolicyPeer[] | undefined, at: FieldPath) =>
    (peers ?? []).flatMap(({ ipBlock }, j) => {
      if (ipBlock === undefined) return [];
      const path = at.index(j).child('ipBlock');
      return [
        { text: ipBlock.cidr, path: path.child('cidr') },
        ...(ipBlock.except ?? []).map((text, k) => ({ text, path: path.child('except').index(k) })),
      ];
    });
  const path = new FieldPath('spec');
  return [
    ...(spec.ingress ?? []).flatMap(({ from }, i) => ofPeers(from, path.child('ingress').index(i).child('from'))),
    ...(spec.egress ?? []).flatMap(({ to }, i) => ofPeers(to, path.child('egress').index(i).child('to'))),
  ];
}

/** Warnings about ranges that do not have the canonical form of their family. */
export function rangeWarnings(spec: NetworkPolicySpec): string[] {
  return policyRanges(spec).flatMap(({ text, path }) => cidrWarnings(text, path));
}

/** Errors of a network policy spec, in the order of its fields. */
export function validateNetworkPolicySpec(spec: NetworkPolicySpec, rules: PolicySpecRules): FieldError[] {
  const path = new FieldPath('spec');
  const errors = validateLabelSelector(spec.podSelector, path.child('podSelector'));
  (spec.ingress ?? []).forEach(({ ports, from }, i) => {
    const at = path.child('ingress').index(i);
    append(errors, validatePorts(ports, rules, at.child('ports')), validatePeers(from, rules, at.child('from')));
  });
  (spec.egress ?? []).forEach(({ ports, to }, i) => {
    const at = path.child('egress').index(i);
    append(errors, validatePorts(ports, rules, at.child('ports')), validatePeers(to, rules, at.child('to')));
  });
  return [...errors, ...validatePolicyTypes(spec.policyTypes ?? [], path.child('policyTypes'))];
}

function validatePolicyTypes(types: readonly string[], path: FieldPath): FieldError[] {
  if (types.length > POLICY_TYPES.length) {
    return [invalidShown(path, shownList('networking.PolicyType', types), 'may not specify more than two policyTypes')];
  }
  return types.flatMap((type, i) =>
    (POLICY_TYPES as readonly string[]).includes(type) ? [] : [notSupported(path.index(i), type, POLICY_TYPES)],
  );
}

function validatePorts(
  ports: readonly NetworkPolicyPort[] | undefined,
  rules: PolicySpecRules,
  path: FieldPath,
): FieldError[] {
  return (ports ?? []).flatMap(({ protocol, port, endPort }, i) => {
    const at = path.index(i);
    const errors: FieldError[] = [];
    if (protocol !== undefined && !(PROTOCOLS as readonly string[]).includes(protocol)) {
      errors.push(notSupported(at.child('protocol'), protocol, PROTOCOLS));
    }
    const start = port === undefined ? [] : validatePortNumberOrName(port, at.child('port'));
    const end = endPort === undefined ? [] : validateEndPort(port, endPort, rules, at.child('endPort'));
    return [...errors, ...(typeof port === 'string' ? [...end, ...start] : [...start, ...end])];
  });
}

/** Validates the last port of a range. The range must start at a port number. */
function validateEndPort(
  port: number | string | undefined,
  endPort: number,
  { showsEndPort }: PolicySpecRules,
  path: FieldPath,
): FieldError[] {
  if (port === undefined) return [invalidValue(path, endPort, 'may not be specified when `port` is not specified')];
  if (typeof port === 'string') return [invalidValue(path, endPort, 'may not be specified when `port` is non-numeric')];
  // Releases before 1.37 show the start port that is larger than the end.
  const shown = showsEndPort ? endPort : port;
  const order = endPort < port ? [invalidValue(path, shown, 'must be greater than or equal to `port`')] : [];
  return [...order, ...portNumber(endPort).map((problem) => invalidValue(path, endPort, problem))];
}

function validatePeers(
  peers: readonly NetworkPolicyPeer[] | undefined,
  rules: PolicySpecRules,
  path: FieldPath,
): FieldError[] {
  return (peers ?? []).flatMap(({ podSelector, namespaceSelector, ipBlock }, i) => {
    const at = path.index(i);
    const selectors = [podSelector, namespaceSelector].filter((selector) => selector !== undefined).length;
    const errors = [
      ...validateLabelSelector(podSelector, at.child('podSelector')),
      ...validateLabelSelector(namespaceSelector, at.child('namespaceSelector')),
      ...(ipBlock === undefined ? [] : validateIpBlock(ipBlock, rules, at.child('ipBlock'))),
    ];
    if (selectors === 0 && ipBlock === undefined) errors.push(required(at, 'must specify a peer'));
    if (selectors > 0 && ipBlock !== undefined) {
      errors.push(forbiddenField(at, 'may not specify both ipBlock and another peer'));
    }
    return errors;
  });
}

/**
 * Validates a range, and the exceptions inside it. Without strict spelling, nothing is checked after the first invalid
 * range.
 */
function validateIpBlock({ cidr, except }: IPBlock, rules: PolicySpecRules, path: FieldPath): FieldError[] {
  if (!cidr) return declared([required(path.child('cidr'))], 37);
  const range = parseCidr(cidr);
  if (range === undefined) return [rangeRefused(cidr, rules, path.child('cidr'))];
  const errors = validateSpelling(cidr, rules, path.child('cidr'));
  for (const [i, text] of (except ?? []).entries()) {
    const at = path.child('except').index(i);
    const exception = parseCidr(text);
    if (exception === undefined) {
      errors.push(rangeRefused(text, rules, at));
      if (!rules.strict) return errors;
      continue;
    }
    append(errors, validateSpelling(text, rules, at));
    const strictly = isInside(exception, range) && exception.bits > range.bits;
    if (!strictly) errors.push(invalidValue(at, text, 'must be a strict subset of `cidr`'));
  }
  return errors;
}

function rangeRefused(text: string, rules: PolicySpecRules, path: FieldPath): FieldError {
  const problem = rules.strict ? cidrSpelling(text, { strict: true })[0] : undefined;
  return invalidValue(path, text, problem ?? 'not a valid CIDR');
}

function validateSpelling(text: string, rules: PolicySpecRules, path: FieldPath): FieldError[] {
  return cidrSpelling(text, rules).map((problem) => invalidValue(path, text, problem));
}
