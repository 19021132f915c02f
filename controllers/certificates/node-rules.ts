import { ORGANIZATION } from '#base/x509/certificate-fields.ts';
import type { AlternativeNameKind, CertificateRequest } from '#base/x509/certificate-request.ts';

const NODES = 'system:nodes';
const NODE = 'system:node:';
const COMMON_NAME = '2.5.4.3';

const CLIENT_USAGES = ['client auth', 'digital signature', 'key encipherment'];
const SERVING_USAGES = ['digital signature', 'key encipherment', 'server auth'];

/** The parts of a request that the rules of signers check. */
export interface Asked {
  readonly request: CertificateRequest;
  readonly usages: readonly string[];
}

/** The common name that a request asks for. If it asks for several, this is the last one. */
export function commonNameOf({ subject }: CertificateRequest): string {
  return subject.findLast(({ type }) => type === COMMON_NAME)?.value ?? '';
}

/** The reason why a client certificate for a user must not be signed; undefined if it may be signed. */
export function clientProblem({ usages }: Asked): string | undefined {
  const wrong = usages.find((usage) => !CLIENT_USAGES.includes(usage));
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}

/** The reason why a client certificate for a node must not be signed; undefined if it may be signed. */
export function nodeClientProblem({ request, usages }: Asked): string | undefined {
  return (
    organizationProblem(request) ??
    nameProblem(request, ['dns', 'email', 'ip', 'uri']) ??
    commonNameProblem(request) ??
    usagesProblem(usages, CLIENT_USAGES)
  );
}

/** The reason why a serving certificate for a node must not be signed; undefined if it may be signed. */
export function nodeServingProblem({ request, usages }: Asked): string | undefined {
  const named = request.names.some(({ kind }) => kind === 'dns' || kind === 'ip');
  return (
    organizationProblem(request) ??
    (named ? undefined : 'DNS or IP subjectAltName is required') ??
    nameProblem(request, ['email', 'uri']) ??
    usagesProblem(usages, SERVING_USAGES) ??
    commonNameProblem(request)
  );
}

function organizationProblem({ subject }: CertificateRequest): string | undefined {
  const organizations = subject.filter(({ type }) => type === ORGANIZATION);
  return organizations.length === 1 && organizations[0]!.value === NODES
    ? undefined
    : `subject organization is not ${NODES}`;
}

function commonNameProblem(request: CertificateRequest): string | undefined {
  return commonNameOf(request).startsWith(NODE) ? undefined : `subject common name does not begin with ${NODE}`;
}

const SPOKEN: Readonly<Record<AlternativeNameKind, string>> = { dns: 'DNS', email: 'Email', ip: 'IP', uri: 'URI' };

function nameProblem({ names }: CertificateRequest, forbidden: readonly AlternativeNameKind[]): string | undefined {
  const found = forbidden.find((wrong) => names.some(({ kind }) => kind === wrong));
  return found === undefined ? undefined : `${SPOKEN[found]} subjectAltNames are not allowed`;
}

/** Keys that can only sign need no key encipherment. */
function usagesProblem(usages: readonly string[], required: readonly string[]): string | undefined {
  const asked = new Set([...usages, 'key encipherment']);
  return asked.size === required.length && required.every((usage) => asked.has(usage))
    ? undefined
    : `usages did not match [${required.join(' ')}]`;
}
