import type { RE2JS } from 're2js';
import { table } from '#base/collections/own-properties.ts';
import type { Filter } from '../../api/filter.ts';

const HEADERS: Readonly<Record<string, string>> = table({
  'Access-Control-Allow-Methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'Access-Control-Allow-Headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'Access-Control-Expose-Headers': 'Date',
  'Access-Control-Allow-Credentials': 'true',
});

/**
 * Lets pages of other origins use this server (`--cors-allowed-origins`). A pattern must match the request's `Origin`.
 * The server answers a preflight of such an origin at once, because browsers send it without credentials. All other
 * requests continue as usual. Without the headers, a browser does not show the answer to the page.
 */
export function allowOrigins(patterns: readonly RE2JS[]): Filter {
  return (context, next) => {
    const origin = context.header('origin');
    if (origin === undefined || origin === '' || !patterns.some((pattern) => pattern.matcher(origin).find())) {
      return next(context);
    }
    const headers = { 'Access-Control-Allow-Origin': origin, ...HEADERS };
    if (context.info.method === 'OPTIONS') return Promise.resolve({ kind: 'empty', status: 204, headers });
    const { response } = context.raw();
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    return next(context);
  };
}
