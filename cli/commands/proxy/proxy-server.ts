import { createServer, type IncomingMessage, type Server } from 'node:http';
import { notFound, plain, redirect } from './answers.ts';
import { type Filter, hostOf } from './filter.ts';
import { forward, forwardUpgrade, type Target } from './forward.ts';
import { serveFile } from './static-files.ts';

export interface ProxyOptions {
  readonly target: Target;
  readonly filter: Filter;
  /** The prefix of requests to the server. It begins and ends with a slash, as the other prefixes do. */
  readonly apiPrefix: string;
  /** The prefix of the server's paths, without a slash at its end. */
  readonly serverPath: string;
  readonly files?: { readonly prefix: string; readonly folder: string } | undefined;
}

/** The path of a request. It is raw with the query, and decoded without the query. */
interface Place {
  readonly raw: string;
  readonly path: string;
}

/** A server that forwards requests with the credentials of this client, and also serves files. */
export function proxyServer(options: ProxyOptions): Server {
  const { target, filter, files } = options;
  const server = createServer((request, response) => {
    const place = placeOf(request);
    if (place === undefined) return plain(response, 400, '400 Bad Request');
    const isApi = place.path.startsWith(options.apiPrefix);
    const clean = cleaned(place.path);
    const end = [options.apiPrefix, files?.prefix].includes(`${clean}/`) ? '/' : '';
    if (clean !== place.path || end !== '') return redirect(response, encodeURI(clean) + end);
    // If both prefixes match, the longer prefix counts.
    const isFile = files !== undefined && place.path.startsWith(files.prefix);
    if (isFile && !(isApi && options.apiPrefix.length > files.prefix.length)) {
      const name = place.path.slice(files.prefix.length);
      serveFile(files.folder, name, response, request.method !== 'HEAD').catch(() => response.destroy());
      return;
    }
    if (!isApi) return notFound(response);
    if (!isAccepted(request, place)) return plain(response, 403, 'Forbidden');
    void forward(target, request, response, onServer(place));
  });
  server.on('upgrade', (request, socket) => {
    const place = placeOf(request);
    const isGood =
      place !== undefined && cleaned(place.path) === place.path && place.path.startsWith(options.apiPrefix);
    if (isGood && isAccepted(request, place)) void forwardUpgrade(target, request, socket, onServer(place));
    else socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
  });
  return server;

  /** Whether the filter accepts a request. It checks the path that the server would see. */
  function isAccepted(request: IncomingMessage, { path }: Place): boolean {
    return filter({
      method: request.method ?? '',
      host: hostOf(request.headers.host ?? ''),
      path: path.slice(options.apiPrefix.length - 1),
    });
  }

  function onServer({ raw }: Place): string {
    return options.serverPath + raw.slice(options.apiPrefix.length - 1);
  }
}

/** Undefined means that the address is malformed. */
function placeOf({ url = '/' }: IncomingMessage): Place | undefined {
  if (!url.startsWith('/')) return undefined;
  try {
    return { raw: url, path: decodeURIComponent(url.split('?')[0]!) };
  } catch {
    return undefined;
  }
}

/** A path without empty parts, `.` and `..`. */
function cleaned(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/'))
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  const end = /\/(\.{1,2})?$/.test(path) && parts.length > 0 ? '/' : '';
  return `/${parts.join('/')}${end}`;
}
