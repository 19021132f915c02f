import { timerMs } from '#base/time/longest-timer.ts';
import { NO_SNIFF, text } from '../../api/answer.ts';
import { isConnected } from '../../api/connected.ts';
import type { Filter } from '../../api/filter.ts';

/** Requests of probes and metric collectors. They are answered normally. */
const ALWAYS_ANSWERED = ['/healthz', '/livez', '/readyz', '/metrics'];

/** The number of seconds after which refused clients may try again. Until then they can find another replica. */
const RETRY_AFTER = '5';

/** Refuses clients while the server ends; see {@link sendAway}. */
export interface Departure {
  readonly filter: Filter;
  /** From now on, requests are refused. Resolves when all earlier requests have ended, or after `limitMs`. */
  begin(limitMs: number): Promise<void>;
}

/**
 * The shutdown of `--shutdown-send-retry-after`. The server accepts connections until the running requests have ended.
 * Every new request gets 429 with Retry-After, and its connection ends. The server does not wait for watches and for
 * requests that another server answers.
 */
export function sendAway(): Departure {
  let underWay = 0;
  let refusing = false;
  let ended = (): void => {};
  const filter: Filter = (context, next) => {
    const { info } = context;
    if (ALWAYS_ANSWERED.some((path) => info.path === path || info.path.startsWith(`${path}/`))) {
      return next(context);
    }
    if (refusing) {
      return text(429, 'The apiserver is shutting down, please try again later.\n', {
        ...NO_SNIFF,
        Connection: 'close',
        'Retry-After': RETRY_AFTER,
      });
    }
    if (isConnected(info)) return next(context);
    underWay++;
    context.end.add(() => {
      underWay--;
      if (refusing && underWay === 0) ended();
    });
    return next(context);
  };
  return {
    filter,
    begin(limitMs) {
      refusing = true;
      if (underWay === 0) return Promise.resolve();
      return new Promise((resolve) => {
        const enough = setTimeout(resolve, timerMs(limitMs));
        ended = () => {
          clearTimeout(enough);
          resolve();
        };
      });
    },
  };
}
