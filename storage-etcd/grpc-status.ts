import type { IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2';
import { CallError, status } from './call-error.ts';

/** Why what answers is no gRPC server, by the head of its answer; undefined when it may be one. */
export function strangerIn(head: IncomingHttpHeaders & IncomingHttpStatusHeader): string | undefined {
  const type = head['content-type'];
  return head[':status'] === 200 && type?.startsWith('application/grpc')
    ? undefined
    : `HTTP status ${head[':status']}, ${type}: this is not etcd`;
}

/** What the peer's last words say: nothing when all is well. */
export function statusOf(trailers: IncomingHttpHeaders): CallError | undefined {
  const code = trailers['grpc-status'];
  if (typeof code !== 'string' || !/^\d{1,4}$/.test(code)) return CallError.lost('the answer has no status');
  if (Number(code) === status.ok) return undefined;
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
