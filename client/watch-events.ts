import { AnswerError, isFields, statusOf } from './answers.ts';
import { ApiError } from './errors.ts';
import type { Incoming } from './http/answer.ts';
import { parseJson } from './json.ts';

/** A change, or a bookmark. The object of a bookmark has only a version: the watch has sent all changes up to it. */
export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
}

const NEW_LINE = 0x0a;

/**
 * The events of a watch in their order. An ERROR event is thrown as an {@link ApiError}. If the server ends the watch,
 * the loop ends.
 */
export async function* readEvents<T>(incoming: Incoming): AsyncGenerator<WatchEvent<T>, void, void> {
  let rest: Buffer[] = [];
  for await (const piece of incoming.pieces()) {
    let from = 0;
    for (let at = piece.indexOf(NEW_LINE); at >= 0; at = piece.indexOf(NEW_LINE, from)) {
      const end = piece.subarray(from, at);
      const line = rest.length === 0 ? end : Buffer.concat([...rest, end]);
      rest = [];
      from = at + 1;
      if (line.length === 0) continue;
      const event: unknown = parseJson(line.toString());
      if (!isFields(event) || typeof event['type'] !== 'string' || !isFields(event['object']))
        throw new AnswerError('the server sent something that is no event of a watch');
      if (event['type'] === 'ERROR') {
        const status = statusOf(event['object']) ?? {};
        throw new ApiError(status.code ?? 500, status, status.details?.retryAfterSeconds);
      }
      yield event as unknown as WatchEvent<T>;
    }
    if (from < piece.length) rest.push(piece.subarray(from));
  }
}
