import type { Logger } from 'pino';
import type { StatusError } from '#base/errors/status-error.ts';
import { TokenBucket } from '#base/limits/token-bucket.ts';
import { TokenBuckets } from '#base/limits/token-buckets.ts';
import type { RequestContext } from '../api/request-context.ts';

/** The limit of log lines about one user's refusals: per second in the long run, at once, and for how many users. */
const PER_USER = { qps: 1, burst: 20, users: 1000 };

/** The rate of lines for all users together. */
const IN_ALL = { qps: 20, burst: 200 };

/** The longest logged message, in characters. A message may contain parts of the request. */
const LONGEST = 300;

/**
 * Logs a line for each refused write, so that an operator finds it by the id in the client's answer. If there are too
 * many, from one user or from all, the next line says how many were left out.
 */
export class RefusalLog {
  readonly #log: Logger;
  readonly #ofUser: TokenBuckets;
  readonly #inAll: TokenBucket;
  #leftOut = 0;

  constructor(log: Logger, now?: () => number) {
    this.#log = log;
    this.#ofUser = new TokenBuckets(PER_USER.qps, PER_USER.burst, PER_USER.users, now);
    this.#inAll = new TokenBucket(IN_ALL.qps, IN_ALL.burst, now);
  }

  /** @param what the start of the line: the id and a description of the request */
  refused(context: RequestContext, error: StatusError, what: object): void {
    const { method } = context.info;
    const line = { ...what, reason: error.status.reason, user: context.user?.name };
    const message = (error.status.message ?? '').slice(0, LONGEST);
    if (method === 'GET' || method === 'HEAD' || method === 'OPTIONS') {
      this.#log.debug(line, message);
      return;
    }
    // All users without a name share the lines.
    if (!this.#ofUser.take(context.user?.name ?? '') || !this.#inAll.take()) {
      this.#leftOut++;
      return;
    }
    const leftOut = this.#leftOut;
    this.#leftOut = 0;
    this.#log.info(leftOut === 0 ? line : { ...line, leftOut }, message);
  }
}
