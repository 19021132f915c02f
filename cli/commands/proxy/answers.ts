import type { ServerResponse } from 'node:http';

/** Answers with a line of text. */
export function plain(response: ServerResponse, status: number, text: string): void {
  const type = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
  response.writeHead(status, type).end(`${text}\n`);
}

export function notFound(response: ServerResponse): void {
  plain(response, 404, '404 page not found');
}

export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(301, { location }).end();
}
