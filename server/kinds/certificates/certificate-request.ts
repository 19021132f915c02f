import { requestSignatureHolds } from '#base/x509/request-signature.ts';

/** The error of a base64 certificate request in PEM; undefined if it is valid. */
export function requestProblem(base64: string | null): string | undefined {
  try {
    const holds = requestSignatureHolds(Buffer.from(base64 ?? '', 'base64').toString('latin1'));
    return holds ? undefined : 'x509: the signature does not match';
  } catch (error) {
    return (error as Error).message;
  }
}
