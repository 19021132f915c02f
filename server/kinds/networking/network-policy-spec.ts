import {
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
import { type Cidr, isInside, parseCidr } from '#schema/validation/ip.ts';
import { validateLabelSelector } from '#schema/validation/label-selector.ts';
import { portNumber, validatePortNumberOrName } from '#schema/validation/ports.ts';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'] as const;
const POLICY_TYPES = ['Ingress', 'Egress'] as const;

/** What is wrong with the spec of a network policy, in the order of its fields. */
export function validateNetworkPolicySpec(spec: NetworkPolicySpec): FieldError[] {
  const path = new FieldPath('spec');
  const errors = validateLabelSelector(spec.podSelector, path.child('podSelector'));
  (spec.ingress ?? []).forEach(({ ports, from }, i) => {
    const at = path.child('ingress').index(i);
    errors.push(...validatePorts(ports, at.child('ports')), ...validatePeers(from, at.child('from')));
  });
  (spec.egress ?? []).forEach(({ ports, to }, i) => {
    const at = path.child('egress').index(i);
    errors.push(...validatePorts(ports, at.child('ports')), ...validatePeers(to, at.child('to')));
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

function validatePorts(ports: readonly NetworkPolicyPort[] | undefined, path: FieldPath): FieldError[] {
  return (ports ?? []).flatMap(({ protocol, port, endPort }, i) => {
    const at = path.index(i);
    const errors: FieldError[] = [];
    if (protocol !== undefined && !(PROTOCOLS as readonly string[]).includes(protocol)) {
      errors.push(notSupported(at.child('protocol'), protocol, PROTOCOLS));
    }
    const start = port === undefined ? [] : validatePortNumberOrName(port, at.child('port'));
    const end = endPort === undefined ? [] : validateEndPort(port, endPort, at.child('endPort'));
    return [...errors, ...(typeof port === 'string' ? [...end, ...start] : [...start, ...end])];
  });
}

/** The last port of a range that starts at a port given by number. */
function validateEndPort(port: number | string | undefined, endPort: number, path: FieldPath): FieldError[] {
  if (port === undefined) return [invalidValue(path, endPort, 'may not be specified when `port` is not specified')];
  if (typeof port === 'string') return [invalidValue(path, endPort, 'may not be specified when `port` is non-numeric')];
  // the message shows the port that the end lies before
  const order = endPort < port ? [invalidValue(path, port, 'must be greater than or equal to `port`')] : [];
  return [...order, ...portNumber(endPort).map((problem) => invalidValue(path, endPort, problem))];
}

function validatePeers(peers: readonly NetworkPolicyPeer[] | undefined, path: FieldPath): FieldError[] {
  return (peers ?? []).flatMap(({ podSelector, namespaceSelector, ipBlock }, i) => {
    const at = path.index(i);
    const selectors = [podSelector, namespaceSelector].filter((selector) => selector !== undefined).length;
    const errors = [
      ...validateLabelSelector(podSelector, at.child('podSelector')),
      ...validateLabelSelector(namespaceSelector, at.child('namespaceSelector')),
      ...(ipBlock === undefined ? [] : validateIpBlock(ipBlock, at.child('ipBlock'))),
    ];
    if (selectors === 0 && ipBlock === undefined) errors.push(required(at, 'must specify a peer'));
    if (selectors > 0 && ipBlock !== undefined) {
      errors.push(forbiddenField(at, 'may not specify both ipBlock and another peer'));
    }
    return errors;
  });
}

function validateIpBlock({ cidr, except }: IPBlock, path: FieldPath): FieldError[] {
  if (!cidr) return [required(path.child('cidr'))];
  const range = parseCidr(cidr);
  if (range === undefined) return [invalidValue(path.child('cidr'), cidr, 'not a valid CIDR')];
  return validateExceptions(range, except ?? [], path.child('except'));
}

/** Ranges inside another; none is looked at after the first that is no range. */
function validateExceptions(range: Cidr, except: readonly string[], path: FieldPath): FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, text] of except.entries()) {
    const exception = parseCidr(text);
    if (exception === undefined) return [...errors, invalidValue(path.index(i), text, 'not a valid CIDR')];
    const strictly = isInside(exception, range) && exception.bits > range.bits;
    if (!strictly) errors.push(invalidValue(path.index(i), text, 'must be a strict subset of `cidr`'));
  }
  return errors;
}
