import type { Logger } from 'pino';
import { TokenBucket } from '#base/limits/token-bucket.ts';
import { stages } from '#program/tracing/request-stages.ts';
import { isLongRunning } from '../api/connected.ts';
import type { Finished } from './request-metrics.ts';

/** The limit of log lines: per second on average, and at once. If all requests are slow, a few lines are enough. */
const LINES_PER_SECOND = 2;
const LINES_AT_ONCE = 20;

const round = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

/** The times of a request's stages, in milliseconds. Short ones are left out. A stage may contain other stages. */
function spent({ context: { stages: taken } }: Finished): Record<string, number> {
  const shown: Record<string, number> = Object.create(null);
  for (const stage of stages) {
    // An answer is written while it is encoded.
    const own = stage === 'writing' ? taken.of(stage) - taken.of('encoding') : taken.of(stage);
    if (round(own) > 0) shown[stage] = round(own);
  }
  if (round(taken.blocked) > 0) shown['blockedEventLoop'] = round(taken.blocked);
  return shown;
}

/**
 * Logs the stages of requests that took at least `thresholdMs`; 0 means never. Requests whose duration the client
 * chooses (watches, streams) do not count.
 */
export class SlowRequests {
  readonly #thresholdMs: number;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #lines: TokenBucket;
  #suppressed = 0;

  constructor(thresholdMs: number, log: Pick<Logger, 'warn'>, now: () => number = () => performance.now()) {
    this.#thresholdMs = thresholdMs;
    this.#log = log;
    this.#lines = new TokenBucket(LINES_PER_SECOND, LINES_AT_ONCE, now);
  }

  finished(finished: Finished): void {
    const { context, milliseconds, status } = finished;
    if (this.#thresholdMs === 0 || milliseconds < this.#thresholdMs) return;
    const { info } = context;
    if (isLongRunning(info)) return;
    if (!this.#lines.take()) {
      this.#suppressed++;
      return;
    }
    const steps = context.stages.steps.map(({ stage, name, milliseconds: took }) => `${stage} ${name}: ${round(took)}`);
    this.#log.warn(
      {
        requestId: context.id,
        verb: info.verb,
        path: info.path,
        user: context.user?.name,
        status,
        bytes: finished.bytes,
        milliseconds: round(milliseconds),
        stages: spent(finished),
        ...(steps.length === 0 ? {} : { steps: steps.slice(0, 20) }),
        ...(this.#suppressed === 0 ? {} : { suppressed: this.#suppressed }),
      },
      'a request was slow',
    );
    this.#suppressed = 0;
  }
}
