import type { Exchange, OutgoingResponse } from '../api/exchange.ts';
import type { FairQueues } from './fair-queues.ts';
import type { Ticket } from './queue.ts';

/** The interval of checks of running requests while others wait for seats, in milliseconds. */
const LOOK_EVERY = 500;

/** A request and its answer. */
interface Seen {
  readonly context: { raw(): Exchange };
}

/** The levels that are being checked. */
const looked = new WeakSet<object>();

/** The bytes that were written to the connection or stream of an answer. */
function written({ bytesWritten, socket }: OutgoingResponse): number {
  return bytesWritten ?? socket?.bytesWritten ?? 0;
}

/**
 * The state of a request that waits for its client: the number of answer bytes that have not moved since the last look,
 * or a missing body. Undefined if the request does not wait.
 */
function position({ request, response }: Exchange): number | undefined {
  if (!request.complete) return 0;
  const unsent = response.socket?.writableLength ?? response.writableLength;
  return unsent > 0 ? written(response) : undefined;
}

/**
 * Begins to take the seats from requests whose clients neither send nor read, until no request waits for a seat. All
 * other resources of such a request are freed when its time is over.
 */
export function lookAfterClients<T extends Seen>(queues: FairQueues<T>): void {
  if (looked.has(queues)) return;
  looked.add(queues);
  let before = new Map<Ticket<T>, number>();
  const timer = setInterval(() => {
    const now = new Map<Ticket<T>, number>();
    for (const ticket of [...queues.served]) {
      const at = position(ticket.about.context.raw());
      if (at === undefined) continue;
      if (before.get(ticket) !== at || !queues.holdUp(ticket)) now.set(ticket, at);
    }
    before = now;
    if (queues.waiting > 0) return;
    clearInterval(timer);
    looked.delete(queues);
  }, LOOK_EVERY).unref();
}
