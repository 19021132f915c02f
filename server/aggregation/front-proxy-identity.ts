import { createPrivateKey, X509Certificate } from 'node:crypto';
import { WatchedFile } from '#program/files/file-watcher.ts';
import { type KeyPair, type KeyPairFiles, readKeyPair } from '#program/flags/key-pair.ts';

/**
 * The certificate by which this server proves to extension servers that it may name users. It is read again from the
 * disk.
 */
export class FrontProxyIdentity {
  readonly #cert: WatchedFile<Buffer>;
  readonly #key: WatchedFile<Buffer>;
  #tried: KeyPair;
  #pair: KeyPair;

  /**
   * Reads the certificate and the key. If they do not belong together after a change, the previous pair stays in use.
   *
   * @throws ConfigError if the files cannot be used at start
   */
  constructor(files: KeyPairFiles, now: () => number = Date.now) {
    this.#pair = readKeyPair(files);
    this.#tried = this.#pair;
    this.#cert = new WatchedFile(files.certFile, (content) => content, undefined, now);
    this.#key = new WatchedFile(files.keyFile, (content) => content, undefined, now);
  }

  /** The PEM texts. It is the same value until they change. */
  get value(): KeyPair {
    const cert = this.#cert.value;
    const key = this.#key.value;
    if (cert === this.#tried.cert && key === this.#tried.key) return this.#pair;
    this.#tried = { cert, key };
    // A rotation may have written one of the two files just before the other.
    if (fit(this.#tried)) this.#pair = this.#tried;
    return this.#pair;
  }
}

function fit({ cert, key }: KeyPair): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}
