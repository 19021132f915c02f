import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** After this long without a user's call the session ends, in milliseconds. */
export const IDLE_MS = 3_600_000;

/** The number of wrong secrets after which clients without a cookie can no longer join the session. */
const MOST_WRONG = 20;

/**
 * The only session of a process. The secret in the opened address is exchanged once for a cookie, which scripts cannot
 * read. After that, the secret is useless.
 */
export class Session {
  readonly #cookie: string;
  readonly #now: () => number;
  readonly #token = randomBytes(32).toString('base64url');
  #secret: string | undefined = randomBytes(32).toString('base64url');
  #wrong = 0;
  #used: number;

  /** @param port makes the cookie's name unique, because browsers share cookies between ports of one machine */
  constructor(port: number, now: () => number = () => performance.now()) {
    this.#cookie = `orch-console-${port}`;
    this.#now = now;
    this.#used = now();
  }

  /** The secret for the address; undefined once it has been exchanged. */
  get secret(): string | undefined {
    return this.#secret;
  }

  /**
   * The `Set-Cookie` header for the correct secret. Undefined for a wrong secret, and if the secret was used before.
   */
  exchange(secret: unknown): string | undefined {
    if (this.#secret === undefined || typeof secret !== 'string') return undefined;
    if (!isSame(secret, this.#secret)) {
      if (++this.#wrong >= MOST_WRONG) this.#secret = undefined;
      return undefined;
    }
    this.#secret = undefined;
    this.#used = this.#now();
    return `${this.#cookie}=${this.#token}; Path=/; HttpOnly; SameSite=Strict`;
  }

  /**
   * Whether a request has the cookie. @param isUse whether a user caused the request, which keeps the session alive
   */
  admits(cookies: string | undefined, isUse: boolean): boolean {
    const found = (cookies ?? '')
      .split(/;\s*/)
      .some((pair) => pair.startsWith(`${this.#cookie}=`) && isSame(pair.slice(this.#cookie.length + 1), this.#token));
    if (found && isUse) this.#used = this.#now();
    return found;
  }

  /** Milliseconds until the session ends if it is not used; zero or less if it has ended. */
  get leftMs(): number {
    return this.#used + IDLE_MS - this.#now();
  }
}

function isSame(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(left!, right!);
}
