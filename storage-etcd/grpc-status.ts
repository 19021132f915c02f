import { CallError, status } from './call-error.ts';
import type { Fields } from './http2/header-block.ts';

/** The reason why a peer is not a gRPC server, from the head of its answer; undefined if it may be one. */
export function strangerIn(head: Fields): string | undefined {
  const type = head['content-type'];
  return head[':status'] === '200' && type?.startsWith('application/grpc')
    ? undefined
    : `HTTP status ${head[':status']}, ${type}: this is not etcd`;
}

/** The peer's trailers as an error; undefined for success. */
export function statusOf(trailers: Fields): CallError | undefined {
  const code = trailers['grpc-status'];
  if (code === undefined || !/^\d{1,4}$/.test(code)) return CallError.lost('the answer has no status');
  if (Number(code) === status.ok) return undefined;
  const message = trailers['grpc-message'];
  return CallError.answer(Number(code), message === undefined ? '' : decoded(message));
}

/** The text without its percent encoding, if that is valid. */
function decoded(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
