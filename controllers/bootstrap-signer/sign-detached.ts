import { FlattenedSign } from 'jose';

/** A detached signature (RFC 7515, appendix F) of a text with the secret part of a token, by HS256: `HEADER..SIGNATURE`.
 * Machines that join verify it with that part alone; its id only names the key. */
export async function signDetached(text: string, id: string, secret: string): Promise<string> {
  const { protected: header, signature } = await new FlattenedSign(Buffer.from(text))
    .setProtectedHeader({ alg: 'HS256', kid: id })
    .sign(Buffer.from(secret));
  return `${header}..${signature}`;
}
