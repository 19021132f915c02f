import type { IncomingHttpHeaders } from 'node:http';

/** The answer to a refused request. */
export interface Refusal {
  readonly status: 403 | 405 | 415 | 421;
  readonly reason: string;
}

/** The parts of a request that the gate checks. */
export interface Knock {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** The header that a page of another site cannot set without asking first. Its value does not matter. */
const OWN_HEADER = 'x-orch-console';

/** The hosts that mean this machine, in the form of browsers. */
const HOSTS = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * The reason why a request does not come from the page of this process; undefined if it may come from there. This
 * refuses requests with an attacker's host name that resolves to this machine, and requests from pages, frames and
 * forms of other sites.
 *
 * @param port the port on which this process listens
 */
export function refusalOf({ method, path, headers }: Knock, port: number): Refusal | undefined {
  const host = headers.host ?? '';
  if (!HOSTS.some((name) => host === `${name}:${port}`))
    return { status: 421, reason: 'The console answers to the address that it printed, and to no other name.' };
  const { origin } = headers;
  if (origin !== undefined && origin !== `http://${host}`)
    return { status: 403, reason: 'Pages of other sites may not use the console.' };
  const site = headers['sec-fetch-site'];
  const isPage = !path.startsWith('/api/');
  if (site !== undefined && site !== 'same-origin' && !(isPage && site === 'none'))
    return { status: 403, reason: 'Pages of other sites may not use the console.' };
  if (isPage && isFramed(headers)) return { status: 403, reason: 'The console does not open in a frame.' };
  if (isPage) {
    if (method === 'GET' || method === 'HEAD') return undefined;
    return { status: 405, reason: 'Files of the console can only be read.' };
  }
  if (method !== 'GET' && method !== 'POST') return { status: 405, reason: 'The console takes only GET and POST.' };
  if (method === 'GET') return undefined;
  if (headers[OWN_HEADER] === undefined)
    return { status: 403, reason: `Changes need the header ${OWN_HEADER}, which only the console's own page sends.` };
  if (headers['content-type'] !== 'application/json') return { status: 415, reason: 'The console takes only JSON.' };
  return undefined;
}

function isFramed(headers: IncomingHttpHeaders): boolean {
  const destination = headers['sec-fetch-dest'];
  return destination === 'iframe' || destination === 'frame' || destination === 'embed' || destination === 'object';
}
