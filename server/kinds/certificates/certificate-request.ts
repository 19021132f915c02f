import { requestSignatureHolds } from '#base/x509/request-signature.ts';

/** What is wrong with the base64 of a PEM certificate request; undefined when it is fine. */
export function requestProblem(base64: string | null): string | undefined {
  try {
    const holds = requestSignatureHolds(Buffer.from(base64 ?? '', 'base64').toString('latin1'));
    return holds ? undefined : 'x509: the signature does not match';
  } catch (error) {
    return (error as Error).message;
  }
}
