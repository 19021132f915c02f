import { X509Certificate } from 'node:crypto';

const BLOCK = /-----BEGIN ([^-]*)-----([\s\S]*?)-----END \1-----/g;

/** The first reason why a text is not a PEM bundle of different certificates. */
export function trustBundleProblems(text: string): string[] {
  const seen = new Map<string, number>();
  let at = 0;
  for (const [, type = '', body = ''] of text.matchAll(BLOCK)) {
    if (type !== 'CERTIFICATE') return [`entry ${at} has bad block type: ${type}`];
    if (/^[^\n]*:/m.test(body)) return [`entry ${at} has PEM block headers`];
    let der: string;
    try {
      der = new X509Certificate(Buffer.from(body, 'base64')).fingerprint256;
    } catch {
      return [`entry ${at} does not parse as X.509`];
    }
    const first = seen.get(der);
    if (first !== undefined) return [`duplicate trust anchor (indices [${first} ${at}])`];
    seen.set(der, at);
    at++;
  }
  return at === 0 ? ['at least one trust anchor must be provided'] : [];
}
