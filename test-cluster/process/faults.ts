import type { Socket } from 'node:net';
import {
  alreadyExists,
  conflict,
  expired,
  internalError,
  type StatusError,
  serviceUnavailable,
  tooManyRequests,
} from '#base/errors/status-error.ts';
import { sleep } from '#base/time/sleep.ts';
import type { Answer } from '#server/api/answer.ts';
import type { OutgoingResponse } from '#server/api/exchange.ts';
import type { Filter, Handler } from '#server/api/filter.ts';
import type { RequestContext, RequestInfo } from '#server/api/request-context.ts';
import { InnerConnection } from '#server/http/inner-connection.ts';
import type { Effect, FaultCode, RequestMatch } from '../messages.ts';

interface Fault {
  readonly match: RequestMatch;
  readonly effect: Effect;
  /** How many more requests may meet it. */
  left: number;
  met: number;
}

/** An open watch. */
interface OpenWatch {
  readonly info: RequestInfo;
  readonly user: string;
  readonly response: OutgoingResponse;
  readonly socket: Socket;
  /** The ids of the faults that hold it. */
  readonly heldBy: Set<number>;
}

/** The faults that requests meet, and the watches that are open. */
export class Faults {
  readonly #faults = new Map<number, Fault>();
  readonly #watches = new Set<OpenWatch>();
  #last = 0;

  /** Adds a fault for this number of matching requests, and returns its id. */
  add(match: RequestMatch, effect: Effect, times: number): number {
    const id = ++this.#last;
    const fault = { match, effect, left: times, met: 0 };
    this.#faults.set(id, fault);
    if (effect.kind === 'hold watches') for (const watch of this.#watches) this.#hold(watch, id, fault);
    return id;
  }

  met(id: number): number {
    return this.#faults.get(id)?.met ?? 0;
  }

  /** Ends a fault: held watches continue. Returns the number of requests that have met it. */
  end(id: number): number {
    const met = this.met(id);
    this.#faults.delete(id);
    for (const watch of this.#watches) {
      if (!watch.heldBy.delete(id) || watch.heldBy.size > 0) continue;
      watch.socket.uncork();
    }
    return met;
  }

  clear(): void {
    for (const id of [...this.#faults.keys()]) this.end(id);
  }

  /** Cuts the connections of the watches that match. */
  cutWatches(match: RequestMatch): number {
    const cut = [...this.#watches].filter(({ info, user }) => fits(match, info, user));
    for (const { response } of cut) response.destroy();
    return cut.length;
  }

  readonly filter: Filter = (context, next) =>
    context.raw().request.socket instanceof InnerConnection ? next(context) : this.#answer(context, next);

  async #answer(context: RequestContext, next: Handler): Promise<Answer> {
    const delays = this.#meet(context, 'delay');
    for (const { effect } of delays) if (effect.kind === 'delay') await sleep(effect.milliseconds, context.signal);
    const [refusal] = this.#meet(context, 'answer', 1);
    if (refusal?.effect.kind === 'answer') return refuse(refusal.effect, context, next);
    const [lost] = this.#meet(context, 'lose answer', 1);
    const answer = await next(context);
    if (lost !== undefined) context.raw().response.destroy();
    else if (answer.kind === 'watch') this.#follow(context);
    return answer;
  }

  /** The faults of a kind that the request meets, the oldest first, at most `most` of them. */
  #meet(context: RequestContext, kind: Effect['kind'], most = Number.POSITIVE_INFINITY): Fault[] {
    const met: Fault[] = [];
    for (const fault of this.#faults.values()) {
      if (met.length === most) break;
      if (fault.effect.kind !== kind || fault.left === 0) continue;
      if (!fits(fault.match, context.info, context.user?.name ?? '')) continue;
      fault.left--;
      fault.met++;
      met.push(fault);
    }
    return met;
  }

  #follow(context: RequestContext): void {
    const { info, user } = context;
    const { request, response } = context.raw();
    const watch = { info, user: user?.name ?? '', response, socket: request.socket, heldBy: new Set<number>() };
    this.#watches.add(watch);
    response.once('close', () => this.#watches.delete(watch));
    for (const [id, fault] of this.#faults) if (fault.effect.kind === 'hold watches') this.#hold(watch, id, fault);
  }

  /**
   * Keeps the written events waiting. If they exceed the buffer, the server waits, as it does for a client that does
   * not read.
   */
  #hold(watch: OpenWatch, id: number, fault: Fault): void {
    if (fault.left === 0 || !fits(fault.match, watch.info, watch.user)) return;
    fault.left--;
    fault.met++;
    if (watch.heldBy.size === 0) watch.socket.cork();
    watch.heldBy.add(id);
  }
}

function fits(match: RequestMatch, info: RequestInfo, user: string): boolean {
  const { verb, group, resource, subresource = '', namespace, name } = match;
  return (
    info.isResource &&
    info.subresource === subresource &&
    (verb === undefined || [verb].flat().includes(info.verb)) &&
    (group === undefined || group === info.group) &&
    (resource === undefined || resource === info.resource) &&
    (namespace === undefined || namespace === info.namespace) &&
    (name === undefined || name === info.name) &&
    (match.user === undefined || match.user === user)
  );
}

const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

function refuse(effect: Extract<Effect, { kind: 'answer' }>, context: RequestContext, next: Handler): Promise<Answer> {
  const { code, retryAfterSeconds } = effect;
  const { verb } = context.info;
  if (code === 410 && verb === 'watch') return expiredWatch(context, next);
  throw refusal(code, retryAfterSeconds, context.info);
}

function refusal(
  code: FaultCode,
  retryAfterSeconds: number,
  { group, resource, name, verb }: RequestInfo,
): StatusError {
  switch (code) {
    case 409:
      return verb === 'create'
        ? alreadyExists({ group, resource }, name)
        : conflict({ group, resource }, name, MODIFIED);
    case 410:
      return expired('The resourceVersion for the provided list is too old.');
    case 429:
      return tooManyRequests(
        'a fault of the test cluster: too many requests, please try again later',
        retryAfterSeconds,
      );
    case 500:
      return internalError('a fault of the test cluster');
    case 503:
      return serviceUnavailable('a fault of the test cluster', retryAfterSeconds);
  }
}

/** Answers a watch from an expired version. The watch starts, and ends with an event about the expired version. */
async function expiredWatch(context: RequestContext, next: Handler): Promise<Answer> {
  const answer = await next(context);
  if (answer.kind !== 'watch') return answer;
  answer.stream.subscription?.close();
  return { kind: 'watch', stream: { ...answer.stream, initial: [], subscription: undefined } };
}
