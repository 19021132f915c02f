import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Authority } from '#base/x509/issue-certificate.ts';
import { WatchedText } from '#client/connection/watched-text.ts';

/** The key pair of a signer in two files. The files may be replaced at any time. */
export class AuthorityFiles {
  readonly #cert: WatchedText;
  readonly #key: WatchedText;
  #texts = '';
  #authority: Authority | undefined;

  constructor(certFile: string, keyFile: string, now?: () => number) {
    this.#cert = new WatchedText({ file: certFile }, now);
    this.#key = new WatchedText({ file: keyFile }, now);
  }

  /**
   * The current authority. While the two files do not match, it is the previous one.
   * @throws Error if the files have never matched
   */
  get(): Authority {
    const cert = this.#cert.get();
    const key = this.#key.get();
    const texts = `${cert}\n${key}`;
    if (this.#authority !== undefined && texts === this.#texts) return this.#authority;
    try {
      const authority = { certificate: new X509Certificate(cert), key: createPrivateKey(key) };
      if (!authority.certificate.checkPrivateKey(authority.key))
        throw new Error('the key of a signer is not that of its certificate');
      this.#authority = authority;
      this.#texts = texts;
    } catch (error) {
      if (this.#authority === undefined) throw error;
    }
    return this.#authority!;
  }
}
