import { tooManyRequests } from '#base/errors/status-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { isConnected } from '../../api/connected.ts';
import type { Filter, Handler } from '../../api/filter.ts';
import { isPromise } from '../../api/maybe-promise.ts';
import { isProbe } from '../../api/probe.ts';
import type { RequestContext } from '../../api/request-context.ts';
import { estimateWork, type Population } from '../../priority/estimate-work.ts';
import { type FlowControl, type FlowObserver, type Turn, takeTurn } from '../../priority/flow-control.ts';
import type { Refusal } from '../../priority/queue.ts';
import type { Inflight } from './limit-inflight.ts';

const READ_ONLY = new Set(['get', 'list', 'watch']);

/** The part of its time that a request may wait for a seat. */
const PART_TO_WAIT = 4;

/** A seat, if the request got one. */
function granted(turn: Turn | Refusal): Turn {
  if (typeof turn === 'string') throw tooManyRequests('too many requests, please try again later', 1);
  return turn;
}

/** The inputs of fair sharing. */
export interface FairParts {
  readonly control: FlowControl;
  readonly observer: FlowObserver;
  readonly naming: Pick<Naming, 'header'>;
  readonly requestTimeoutMs: number;
  /**
   * The number of objects and watchers of a request's resource; undefined if the resource does not exist.
   */
  readonly population: (context: RequestContext) => Population | undefined;
}

/**
 * Makes requests wait for a seat in their priority level, and names that level in the answer. A request keeps its seat
 * until the client has its answer. A watch keeps it only until it has started. Probes are served at once, and requests
 * that another server answers do not take seats.
 *
 * @throws StatusError (429) with Retry-After if the queue is full, or if the wait ends without a seat
 */
export function shareFairly({ control, observer, naming, requestTimeoutMs, population }: FairParts): Inflight {
  const running = { reading: 0, mutating: 0 };
  const waiting = { reading: 0, mutating: 0 };
  const [schemaHeader, levelHeader] = [naming.header('PF-FlowSchema-UID'), naming.header('PF-PriorityLevel-UID')];
  const serve = (context: RequestContext, next: Handler, side: keyof typeof running, turn: Turn) => {
    running[side]++;
    // The clock has just been read.
    context.stages.leave('waiting', turn.began);
    observer.side('executing', side, 1, turn.began);
    context.end.add((at) => {
      running[side]--;
      observer.side('executing', side, -1, at);
      turn.done(at);
    });
    return next(context);
  };
  const filter: Filter = (context, next) => {
    const { info, user } = context;
    if (isConnected(info) || user === undefined) return next(context);
    const of = control.classify(user, info);
    const { response } = context.raw();
    response.setHeader(schemaHeader, of.schema.uid);
    response.setHeader(levelHeader, of.level.uid);
    if (isProbe(info)) return next(context);
    const work = estimateWork(info, context.query, () => population(context));
    const asking = context as RequestContext & { readonly user: typeof user };
    const taken = takeTurn(of, asking, work, requestTimeoutMs / PART_TO_WAIT, observer);
    const side = READ_ONLY.has(info.verb) || !info.isResource ? 'reading' : 'mutating';
    if (!isPromise(taken)) return serve(context, next, side, granted(taken));
    waiting[side]++;
    observer.side('waiting', side, 1, performance.now());
    const begun = taken.finally(() => {
      waiting[side]--;
      observer.side('waiting', side, -1, performance.now());
    });
    return begun.then((turn) => serve(context, next, side, granted(turn)));
  };
  return {
    filter,
    waiting,
    get reading() {
      return running.reading;
    },
    get mutating() {
      return running.mutating;
    },
  };
}
