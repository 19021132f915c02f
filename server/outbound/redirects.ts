import type { WholeAnswer, WholeRequest } from './exchange.ts';

/** A request that may be redirected. */
export interface RedirectedRequest extends Pick<WholeRequest, 'method' | 'headers' | 'body'> {
  readonly url: URL;
}

/** The largest number of requests for one answer. */
const MAX_REQUESTS = 10;
/** Statuses of redirects that repeat the same request. The others ask for a GET. */
const SAME_REQUEST: ReadonlySet<number> = new Set([307, 308]);
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, ...SAME_REQUEST]);

/** Whether an answer redirects to another address. */
export function isRedirect({ status, headers }: WholeAnswer): boolean {
  return REDIRECTS.has(status) && typeof headers.location === 'string' && headers.location !== '';
}

/**
 * Follows the redirects of a server, like clients of the field. A request never changes from TLS to plain HTTP, and its
 * credentials go to no other server.
 *
 * @param request the request that has been answered
 * @param answer its answer
 * @param send sends a further request; `isElsewhere` says that it goes to another server than the first request
 * @throws Error if a redirect cannot be followed, or if there are too many
 */
export async function followRedirects(
  request: RedirectedRequest,
  answer: WholeAnswer,
  send: (request: RedirectedRequest, isElsewhere: boolean) => Promise<WholeAnswer>,
): Promise<WholeAnswer> {
  const { host } = request.url;
  let [current, latest] = [request, answer];
  for (let sent = 1; isRedirect(latest); sent++) {
    if (sent >= MAX_REQUESTS) throw new Error(`stopped after ${MAX_REQUESTS} redirects`);
    current = redirected(current, latest);
    latest = await send(current, current.url.host !== host);
  }
  return latest;
}

function redirected({ url, method, headers, body }: RedirectedRequest, answer: WholeAnswer): RedirectedRequest {
  const location = answer.headers.location!;
  if (!URL.canParse(location, url.href)) throw new Error(`failed to parse Location header ${JSON.stringify(location)}`);
  const next = new URL(location, url.href);
  if (next.protocol !== 'https:' && next.protocol !== url.protocol)
    throw new Error(`the redirect to ${JSON.stringify(`${next.protocol}//${next.host}`)} leaves TLS`);
  const keepsBody = SAME_REQUEST.has(answer.status);
  const dropped = new Set(['host', ...(keepsBody ? [] : ['content-type']), ...(next.host === url.host ? [] : PRIVATE)]);
  return {
    url: next,
    method: keepsBody ? method : 'GET',
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.has(name.toLowerCase()))),
    ...(keepsBody && body !== undefined && { body }),
  };
}

/** Headers that only the first server gets. */
const PRIVATE = ['authorization', 'cookie'];
