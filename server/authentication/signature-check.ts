import { createHash } from 'node:crypto';
import { compactVerify } from 'jose';
import { BoundedCache } from '#base/collections/bounded-cache.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import type { TokenKey } from '#base/x509/token-keys.ts';
import { parseObject } from './token-claims.ts';

/** The number of tokens whose signature check is remembered. */
const REMEMBERED = 4096;

/**
 * Checks signatures of tokens with this server's own keys. It remembers only that a signature was valid, because keys
 * do not change while the server runs. Everything else about a token is checked at each request.
 */
export class SignatureCheck {
  readonly #keys: readonly TokenKey[];
  readonly #good = new BoundedCache<string, JsonObject>(REMEMBERED);

  constructor(keys: readonly TokenKey[]) {
    this.#keys = keys;
  }

  /** The claims of a token that one of the keys signed; undefined if none of them did. */
  async claims(token: string): Promise<JsonObject | undefined> {
    const digest = createHash('sha256').update(token).digest('base64');
    const known = this.#good.get(digest);
    if (known !== undefined) return known;
    for (const key of this.#candidates(token)) {
      const claims = await verified(token, key);
      if (claims === undefined) continue;
      this.#good.set(digest, claims);
      return claims;
    }
    return undefined;
  }

  /** The key that the token names, or otherwise all keys. */
  #candidates(token: string): readonly TokenKey[] {
    const header = parseObject(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url'));
    const named = this.#keys.filter(({ id }) => id === header?.['kid']);
    return named.length > 0 ? named : this.#keys;
  }
}

async function verified(token: string, key: TokenKey): Promise<JsonObject | undefined> {
  try {
    // The algorithm comes from the key and never from the token.
    const { payload } = await compactVerify(token, key.publicKey, { algorithms: [key.algorithm] });
    return parseObject(payload);
  } catch {
    return undefined;
  }
}
