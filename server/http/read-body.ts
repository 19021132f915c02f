import { StatusError, timeout, tooLarge } from '#base/errors/status-error.ts';
import { timerMs } from '#base/time/longest-timer.ts';
import type { IncomingRequest } from '../api/exchange.ts';

/** Largest request body, in bytes. */
const BODY_LIMIT = 3 * 1024 * 1024;

/**
 * Reads a request's body.
 *
 * @throws StatusError: 413 above `limit` (without reading the rest into memory), 504 if it does not arrive before
 * `deadlineAt` (of `performance.now()`), and 400 if the client disconnects before the end
 */
export async function readBody(request: IncomingRequest, deadlineAt: number, limit = BODY_LIMIT): Promise<Buffer> {
  const declared = Number(request.headers['content-length']);
  const refused = (): StatusError => tooLarge(`Request entity too large: limit is ${limit}`);
  if (declared > limit) throw refused();
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise<Buffer>((resolve, reject) => {
    const settle = (finish: () => void): void => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
      finish();
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > limit) settle(() => reject(refused()));
      else chunks.push(chunk);
    };
    const onEnd = (): void => settle(() => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, length)));
    const onError = (error: Error): void => settle(() => reject(new StatusError(400, 'BadRequest', error.message)));
    const onClose = (): void =>
      settle(() => reject(new StatusError(400, 'BadRequest', 'the request body was cut off')));
    const timer = setTimeout(
      () => settle(() => reject(timeout('the request body did not arrive in time'))),
      timerMs(deadlineAt - performance.now()),
    );
    request.on('data', onData).once('end', onEnd).once('error', onError).once('close', onClose);
  });
}
