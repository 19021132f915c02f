import { table } from '#base/collections/own-properties.ts';
import type { ListContent } from './list-content.ts';
import type { ObjectContent } from './object-content.ts';
import type { WatchStream } from './watch-stream.ts';

/**
 * The outcome of a request. One place writes it to the socket (`write-answer.ts`). Only a watch, which lasts longer, is
 * written by `write-watch.ts`.
 * - `object` and `list` are encoded in the negotiated form; `text` and `bytes` are sent unchanged; `watch` is a stream
 *   of events; `empty` has only a status and headers.
 */
export type Answer =
  | { readonly kind: 'object'; readonly status: number; readonly content: ObjectContent; readonly headers?: Headers }
  | { readonly kind: 'list'; readonly status: number; readonly content: ListContent; readonly headers?: Headers }
  | { readonly kind: 'text'; readonly status: number; readonly text: string; readonly headers?: Headers }
  | {
      readonly kind: 'bytes';
      readonly status: number;
      readonly contentType: string;
      readonly body: Buffer | AsyncIterable<Buffer>;
      /** The length in bytes of an answer in pieces, if it is known. */
      readonly length?: number;
      /** Whether a long answer in pieces is compressed for clients that accept this. */
      readonly compress?: boolean;
      readonly headers?: Headers;
    }
  | { readonly kind: 'empty'; readonly status: number; readonly headers?: Headers }
  | { readonly kind: 'watch'; readonly stream: WatchStream }
  | { readonly kind: 'hijacked'; readonly status: number };

/** An answer that ends when it has been sent. */
export type EndingAnswer = Exclude<Answer, { readonly kind: 'watch' }>;

/** Extra headers by name. */
export type Headers = Readonly<Record<string, string | readonly string[]>>;

/** Headers for refusals that repeat the request, and for plain text. Browsers must not render them as a page. */
export const NO_SNIFF: Readonly<Record<string, string>> = table({ 'X-Content-Type-Options': 'nosniff' });

export function text(status: number, body: string, headers?: Headers): Answer {
  return headers === undefined ? { kind: 'text', status, text: body } : { kind: 'text', status, text: body, headers };
}

/** An error, or the result of health checks, as plain text. */
export function plainText(status: number, body: string): Answer {
  return text(status, body, NO_SNIFF);
}

/** The 404 of paths that lead to no resource. */
export function pageNotFound(): Answer {
  return plainText(404, '404 page not found\n');
}

export function object(content: ObjectContent, status = 200): Answer {
  return { kind: 'object', status, content };
}
