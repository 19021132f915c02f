import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from '#schema/generated/certificates.v1.ts';

/** A condition of a request, by its type. */
export function conditionOf(
  { status }: CertificateSigningRequest,
  wanted: 'Approved' | 'Denied' | 'Failed',
): CertificateSigningRequestCondition | undefined {
  return status?.conditions?.find(({ type }) => type === wanted);
}

/** Whether a request is neither approved nor denied. */
export function isPending(request: CertificateSigningRequest): boolean {
  return (
    conditionOf(request, 'Approved') === undefined && conditionOf(request, 'Denied') === undefined && !isIssued(request)
  );
}

export function isIssued({ status }: CertificateSigningRequest): boolean {
  return (status?.certificate ?? '') !== '';
}

/** Whether a request must be signed: it is approved, and has neither a certificate nor failed. */
export function awaitsSigning(request: CertificateSigningRequest): boolean {
  return (
    conditionOf(request, 'Approved') !== undefined &&
    conditionOf(request, 'Denied') === undefined &&
    conditionOf(request, 'Failed') === undefined &&
    !isIssued(request)
  );
}

/** A PEM text from its base64 form in objects. */
export function pemOf(base64: string | null | undefined): string {
  return Buffer.from(base64 ?? '', 'base64').toString('latin1');
}
