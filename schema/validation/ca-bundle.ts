import { X509Certificate } from 'node:crypto';
import { type FieldError, type FieldPath, invalidValue } from '#base/errors/field-error.ts';
import { pemBlocks } from '#base/x509/pem.ts';
import { base64Bytes } from './content-size.ts';

/**
 * How many bytes of the bundles of one object are read to the letter: the authorities of a machine are some 220,000.
 */
const READ_BYTES = 256 * 1024;

/** Returns the errors of one bundle at `path`. Callers pass all bundles of an object, one after another. */
export type BundleCheck = (bundle: string | undefined, path: FieldPath) => FieldError[];

/**
 * Checks that certificate bundles (base64, as objects hold them) are PEM and contain a certificate; otherwise every
 * call of the service would fail. A missing bundle counts as an empty one. `stored` are the bundles of the object
 * before a change; these stay valid. Of a very large bundle only the beginning is checked.
 */
export function caBundleCheck(stored: Iterable<string | undefined> = []): BundleCheck {
  const good = new Set(stored);
  let budget = READ_BYTES;
  return (bundle, path) => {
    if (!bundle || good.has(bundle)) return [];
    const read = Math.min(bundle.length, Math.max(budget, 4096));
    budget -= read;
    const problem = bundleProblem(bundle.slice(0, read - (read % 4)), read < bundle.length);
    if (problem === undefined) {
      good.add(bundle);
      return [];
    }
    return [invalidValue(path, `${base64Bytes(bundle)} bytes`, `unable to load root certificates: ${problem}`)];
  };
}

function bundleProblem(base64: string, isCut: boolean): string | undefined {
  const blocks = pemBlocks(Buffer.from(base64, 'base64').toString('latin1'));
  const certificates = blocks.filter(({ type }) => type === 'CERTIFICATE');
  if (certificates.length === 0 && !isCut) return 'there is no certificate in PEM form in it';
  for (const [i, { der }] of certificates.entries()) {
    try {
      new X509Certificate(der);
    } catch {
      return `certificate ${i + 1} in it is malformed`;
    }
  }
  return undefined;
}
