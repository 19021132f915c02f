import type { IncomingHttpHeaders } from 'node:http2';
import { CallError, status } from './call-error.ts';

/** What the peer's last words say: nothing when all is well. */
export function statusOf(trailers: IncomingHttpHeaders): CallError | undefined {
  const code = trailers['grpc-status'];
  if (typeof code !== 'string' || !/^\d{1,4}$/.test(code)) {
    return CallError.lost('the answer has no status');
  }
  if (Number(code) === status.ok) {
    return undefined;
  }
  const message = trailers['grpc-message'];
  return CallError.answer(Number(code), typeof message === 'string' ? decoded(message) : '');
}

/** Without its percent encoding, where that can be read. */
function decoded(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
