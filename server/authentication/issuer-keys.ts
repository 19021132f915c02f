import { createLocalJWKSet, type FlattenedJWSInput, type JSONWebKeySet, type JWSHeaderParameters } from 'jose';
import { isObject, type JsonObject } from '#base/json/json-value.ts';
import { type ClockReading, elapsed, readClocks } from '#base/time/two-clocks.ts';
import type { HttpsClient } from '../outbound/https-request.ts';

/** Times in milliseconds. */
export interface IssuerKeysOptions {
  /** The URL of the configuration; by default under the issuer's own address. */
  readonly discoveryUrl?: string | undefined;
  /** The shortest time between two fetches because of an unknown key. */
  readonly cooldownMs: number;
  /**
   * Keys older than this are fetched again. In the meantime the server uses the old keys. So a withdrawn key stops
   * working.
   */
  readonly refreshMs: number;
  readonly timeoutMs: number;
  readonly now: () => number;
}

type KeySet = ReturnType<typeof createLocalJWKSet>;

/**
 * The configuration and keys that an issuer publishes. They are fetched at the first use, and again when keys change.
 */
export class IssuerKeys {
  readonly #issuer: string;
  readonly #client: HttpsClient;
  readonly #options: IssuerKeysOptions;
  #keysUrl: URL | undefined;
  #keys: KeySet | undefined;
  #fetchedAt: ClockReading | undefined;
  #triedAt: ClockReading | undefined;
  #lastError: Error | undefined;
  #fetching: Promise<KeySet> | undefined;

  constructor(issuer: string, client: HttpsClient, options: IssuerKeysOptions) {
    this.#issuer = issuer;
    this.#client = client;
    this.#options = options;
  }

  /** The key that a token's header names. Throws an Error if the issuer has no such key or cannot be reached. */
  readonly key = async (header: JWSHeaderParameters, token: FlattenedJWSInput) => {
    const keys = this.#keys ?? (await this.fetch());
    if (this.#since(this.#fetchedAt) > this.#options.refreshMs) this.fetch().catch(() => {});
    try {
      return await keys(header, token);
    } catch (error) {
      // An unknown key may be new. Because of the cooldown, forged tokens do not cause a fetch each.
      const fetched = await this.fetch();
      if (fetched === keys) throw error;
      return fetched(header, token);
    }
  };

  /** Fetches configuration and keys, unless the last attempt was a short time ago. */
  async fetch(): Promise<KeySet> {
    if (this.#fetching !== undefined) return this.#fetching;
    if (this.#since(this.#triedAt) < this.#options.cooldownMs) {
      if (this.#keys !== undefined) return this.#keys;
      throw this.#lastError ?? new Error('the issuer cannot be asked yet');
    }
    this.#triedAt = readClocks(this.#options.now);
    this.#fetching = this.#fetch()
      .catch((error: unknown) => {
        this.#lastError = error instanceof Error ? error : new Error(String(error));
        throw this.#lastError;
      })
      .finally(() => {
        this.#fetching = undefined;
      });
    return this.#fetching;
  }

  #since(moment: ClockReading | undefined): number {
    return moment === undefined ? Number.POSITIVE_INFINITY : elapsed(moment, readClocks(this.#options.now));
  }

  async #fetch(): Promise<KeySet> {
    this.#keysUrl ??= await this.#discover();
    const document = await this.#get(this.#keysUrl);
    const keys = createLocalJWKSet(document as unknown as JSONWebKeySet);
    this.#keys = keys;
    this.#fetchedAt = readClocks(this.#options.now);
    return keys;
  }

  async #discover(): Promise<URL> {
    const own = `${this.#issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
    const configuration = await this.#get(new URL(this.#options.discoveryUrl ?? own));
    if (configuration['issuer'] !== this.#issuer)
      throw new Error(`the issuer says it is ${JSON.stringify(configuration['issuer'])}`);
    const url = configuration['jwks_uri'];
    if (typeof url !== 'string' || !URL.canParse(url) || new URL(url).protocol !== 'https:')
      throw new Error('the issuer names no https URL of its keys');
    return new URL(url);
  }

  async #get(url: URL): Promise<JsonObject> {
    const { status, body } = await this.#client({
      url,
      method: 'GET',
      headers: { Accept: 'application/json' },
      timeoutMs: this.#options.timeoutMs,
    });
    if (status !== 200) throw new Error(`${url.href} answers ${status}`);
    const value: unknown = JSON.parse(body.toString('utf8'));
    if (!isObject(value)) throw new Error(`${url.href} answers no JSON object`);
    return value;
  }
}
