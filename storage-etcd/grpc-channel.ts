import { CallError } from './call-error.ts';
import { GrpcSession, type Metadata, type SessionKeeper, type Target } from './grpc-session.ts';
import { UnaryCall } from './unary-call.ts';

/** The waiting time before the next attempt to connect, after a failed connection. It grows while attempts fail. */
const BACKOFF_MS = { first: 100, factor: 1.6, longest: 500 };

/**
 * Calls to one etcd member over one connection. The connection is made at the first call, and again after it was lost.
 * Each call is sent once. Calls wait for the connection until their deadline; if the connection cannot be made, they
 * fail at once.
 *
 * This store does not use etcd3, the library for etcd. Through etcd3, a transaction takes 0.34 ms of processor time
 * with 16 in flight, and 0.06 ms here. Two thirds of that time are layers of grpc-js for balancing and retries, and
 * this store balances and retries itself. Loading etcd3 takes a tenth of a replica's start. Tests use etcd3 as the
 * second implementation, and the bench uses it for comparison.
 */
export class GrpcChannel {
  readonly #target: Target;
  readonly #keeper: SessionKeeper;
  /** All sessions that are not closed: the current one, and those that still wait for their last answers. */
  readonly #sessions = new Set<GrpcSession>();
  /** Queued calls without a stream, in order; an expired call stays until its turn. */
  readonly #waiting = new Set<UnaryCall>();
  #session: GrpcSession | undefined;
  #failures = 0;
  #retryAt = 0;
  #reason = '';
  #closed = false;

  constructor(target: Target) {
    this.#target = target;
    this.#keeper = {
      roomIn: (session) => this.#serve(session),
      leaving: (session, reason) => this.#lost(session, reason),
      ended: (session) => this.#sessions.delete(session),
    };
  }

  /**
   * Sends a framed message. Resolves to the message of the answer. The signal cancels the call. Use the signal for
   * reads only, because the outcome of a canceled write would be unknown. Rejects with CallError.
   */
  unary(path: string, frame: Buffer, timeoutMs: number, signal?: AbortSignal, metadata?: Metadata): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const call = new UnaryCall({ path, frame, metadata, signal }, timeoutMs, { resolve, reject });
      if (this.#waiting.size === 0 && this.#session?.room) {
        call.start(this.#session);
      } else {
        this.#queue(call);
      }
    });
  }

  /** Ends all calls and connections. */
  close(): void {
    this.#closed = true;
    this.#session = undefined;
    for (const session of this.#sessions) session.destroy();
    this.#refuseWaiting('the store is closed');
  }

  #queue(call: UnaryCall): void {
    if (this.#closed) {
      call.fail(CallError.unsent('the store is closed'));
    } else if (!this.#session && performance.now() < this.#retryAt) {
      call.fail(CallError.unsent(`No connection established: ${this.#reason}`));
    } else {
      this.#waiting.add(call);
      if (!this.#session) this.#connect();
    }
  }

  #connect(): void {
    try {
      this.#session = new GrpcSession(this.#target, this.#keeper);
      this.#sessions.add(this.#session);
    } catch (error) {
      this.#backOff(String(error));
    }
  }

  #serve(session: GrpcSession): void {
    for (const call of this.#waiting) {
      if (!session.room) return;
      this.#waiting.delete(call);
      if (!call.over) call.start(session);
    }
  }

  #lost(session: GrpcSession, reason: string): void {
    if (this.#session !== session) return;
    this.#session = undefined;
    if (session.answering) {
      this.#failures = 0;
    } else if (!session.ready || this.#failures > 0) {
      this.#backOff(reason);
      return;
    } else {
      // After a peer has closed a connection, there is one attempt at once. Further attempts wait.
      this.#failures = 1;
    }
    if (this.#waiting.size > 0) this.#connect();
  }

  #backOff(reason: string): void {
    const { first, factor, longest } = BACKOFF_MS;
    this.#retryAt = performance.now() + Math.min(first * factor ** this.#failures, longest);
    this.#failures += 1;
    this.#reason = reason;
    this.#refuseWaiting(`No connection established: ${reason}`);
  }

  #refuseWaiting(reason: string): void {
    for (const call of this.#waiting) {
      this.#waiting.delete(call);
      call.fail(CallError.unsent(reason));
    }
  }
}
