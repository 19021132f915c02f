import { tooManyRequests } from '#base/errors/status-error.ts';
import { isConnected } from '../../api/connected.ts';
import type { Filter } from '../../api/filter.ts';
import { isProbe } from '../../api/probe.ts';
import type { RequestContext } from '../../api/request-context.ts';

const READ_ONLY = new Set(['get', 'list', 'watch']);
const EXEMPT_GROUP = 'system:masters';

/** Limits the number of requests in progress, and reports it. */
export interface Inflight {
  readonly filter: Filter;
  readonly reading: number;
  readonly mutating: number;
  /** How many requests wait. */
  readonly waiting: { readonly reading: number; readonly mutating: number };
}

/**
 * Limits how many requests run at once (`--max-requests-inflight`, `--max-mutating-requests-inflight`; 0 means no
 * limit). A request counts until the client has read its answer, so slow readers of lists count too. A watch counts
 * only until it has started. Cluster administrators, probes and requests that another server answers do not count.
 *
 * @throws StatusError (429) with Retry-After
 */
export function limitInflight(maxReading: number, maxMutating: number): Inflight {
  const running = { reading: 0, mutating: 0 };
  const filter: Filter = (context, next) => {
    if (isConnected(context.info) || isProbe(context.info)) return next(context);
    const side = READ_ONLY.has(context.info.verb) || !context.info.isResource ? 'reading' : 'mutating';
    const limit = side === 'reading' ? maxReading : maxMutating;
    if (limit > 0 && running[side] >= limit && !exempt(context)) {
      throw tooManyRequests('too many requests, please try again later', 1);
    }
    running[side]++;
    context.end.add(() => running[side]--);
    return next(context);
  };
  return {
    filter,
    // A request over the limit is refused at once.
    waiting: { reading: 0, mutating: 0 },
    get reading() {
      return running.reading;
    },
    get mutating() {
      return running.mutating;
    },
  };
}

function exempt(context: RequestContext): boolean {
  return context.user?.groups.includes(EXEMPT_GROUP) === true;
}
