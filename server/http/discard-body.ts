import { TokenBucket } from '#base/limits/token-bucket.ts';
import type { IncomingRequest, OutgoingResponse } from '../api/exchange.ts';

/** How long the rest of an unneeded body may take to arrive, in milliseconds. */
const REST_OF_BODY = 5_000;

/**
 * The limit for unneeded bodies on one connection or HTTP/2 stream: bytes per second in the long run, and bytes at
 * once. Two of the largest bodies fit.
 */
const UNNEEDED = { qps: 1 << 20, burst: 8 << 20 };

/** The remaining allowance of each connection or stream. */
const unneeded = new WeakMap<object, TokenBucket>();

/**
 * Reads the rest of an unneeded body after its answer was sent, so that it does not block the next request on the
 * connection. If the rest takes too long or is too large, the connection takes no next request.
 */
export function discardBody(request: IncomingRequest, response: OutgoingResponse): void {
  if (request.complete) return;
  const discard = (): void => {
    if (request.complete) return;
    // Bytes that a client still sends on a reset stream would count as useless data of its connection.
    const carrier = response.socket === undefined ? request : request.socket;
    let bucket = unneeded.get(carrier);
    if (bucket === undefined) unneeded.set(carrier, (bucket = new TokenBucket(UNNEEDED.qps, UNNEEDED.burst)));
    // The client must still get the answer.
    const end = (): void => {
      if (response.writableFinished) request.destroy();
      else response.once('finish', () => request.destroy());
    };
    const count = (chunk: Buffer): void => {
      if (bucket.take(chunk.length)) return;
      request.off('data', count);
      end();
    };
    const cut = setTimeout(end, REST_OF_BODY).unref();
    request
      .once('close', () => clearTimeout(cut))
      .on('data', count)
      .resume();
  };
  if (response.writableFinished || response.writableEnded) discard();
  // This comes before Node.js's own listener, because that listener makes the parser drop the body uncounted.
  else response.prependOnceListener('finish', discard);
}
