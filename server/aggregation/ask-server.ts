import type { Naming } from '#base/naming/naming.ts';
import { authorityOf, type Backend } from '../outbound/backend.ts';
import { exchange, type WholeAnswer } from '../outbound/exchange.ts';

/** The time limit of one answer, in milliseconds. */
const ANSWER_MS = 5_000;
/** The default limit of an answer, in bytes. Reading a longer answer would delay other requests. */
const MAX_ANSWER = 4 << 20;

export type ServerAnswer = WholeAnswer;

/** The user under which this server itself calls extension servers. */
export function aggregatorName(naming: Naming): string {
  return `system:${naming.prefixed('aggregator')}`;
}

/** Sends a request to an extension server in the name of this server. Rejects unless an answer arrives in time. */
export function askServer(
  backend: Backend,
  path: string,
  options: {
    readonly userName: string;
    readonly accept?: string;
    readonly etag?: string | undefined;
    /** The largest answer. A longer answer is an error. */
    readonly maxBytes?: number;
    /** Whether the head alone counts as an answer, even if the body fails. */
    readonly headSuffices?: boolean;
    readonly signal: AbortSignal;
  },
): Promise<ServerAnswer> {
  const { userName, accept = 'application/json', etag, maxBytes = MAX_ANSWER, headSuffices = false, signal } = options;
  return exchange(backend.pool!, {
    method: 'GET',
    path,
    headers: {
      Host: authorityOf(backend),
      Accept: accept,
      'User-Agent': userName,
      'X-Remote-User': userName,
      'X-Remote-Group': 'system:masters',
      ...(etag !== undefined && { 'If-None-Match': etag }),
    },
    maxBytes,
    headSuffices,
    timeoutMs: ANSWER_MS,
    signal,
  });
}
