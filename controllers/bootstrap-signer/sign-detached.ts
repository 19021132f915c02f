import { FlattenedSign } from 'jose';

/**
 * A detached signature (RFC 7515, appendix F) of a text by HS256: `HEADER..SIGNATURE`. Machines that join verify it
 * with `key`. The first part of their token names this key.
 */
export async function signDetached(text: string, id: string, key: string): Promise<string> {
  const { protected: header, signature } = await new FlattenedSign(Buffer.from(text))
    .setProtectedHeader({ alg: 'HS256', kid: id })
    .sign(Buffer.from(key));
  return `${header}..${signature}`;
}
