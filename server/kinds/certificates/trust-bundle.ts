import { X509Certificate } from 'node:crypto';
import { pemBlocks } from '#base/x509/pem.ts';

/** The first reason why a text is not a PEM bundle of different certificates. */
export function trustBundleProblems(text: string): string[] {
  const seen = new Map<string, number>();
  let at = 0;
  for (const { type, hasHeaders, der } of pemBlocks(text)) {
    if (type !== 'CERTIFICATE') return [`entry ${at} has bad block type: ${type}`];
    if (hasHeaders) return [`entry ${at} has PEM block headers`];
    let print: string;
    try {
      print = new X509Certificate(der).fingerprint256;
    } catch {
      return [`entry ${at} does not parse as X.509`];
    }
    const first = seen.get(print);
    if (first !== undefined) return [`duplicate trust anchor (indices [${first} ${at}])`];
    seen.set(print, at);
    at++;
  }
  return at === 0 ? ['at least one trust anchor must be provided'] : [];
}
