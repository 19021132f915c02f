import http from 'node:http';
import https from 'node:https';
import { connectionWords } from '../framework/connection-words.ts';
import { CommandError } from '../framework/errors.ts';

const MOST_REDIRECTS = 10;

/**
 * The text at an address. Unlike in browsers, every port is allowed.
 * @param longest the largest size of the answer, in bytes
 * @throws CommandError if there is no answer, or the answer is an error or too large
 */
export async function download(url: string, longest: number, signal: AbortSignal): Promise<string> {
  if (/^https?:\/\/(\/|$)/.test(url)) throw notConnected('http: no Host in request URL');
  let place = new URL(url);
  for (let redirects = 0; ; redirects++) {
    const response = await answerOf(place, signal);
    const { statusCode: code = 0, statusMessage: words = '', headers } = response;
    if (code === 200) return readAll(response, url, longest);
    response.destroy();
    if (![301, 302, 303, 307, 308].includes(code) || headers.location === undefined)
      throw new CommandError(`unable to read URL "${url}", server reported ${code} ${words}, status code=${code}`);
    if (redirects === MOST_REDIRECTS) throw notConnected(`stopped after ${MOST_REDIRECTS} redirects`);
    if (!URL.canParse(headers.location, place.href))
      throw notConnected(`failed to parse Location header ${JSON.stringify(headers.location)}`);
    place = new URL(headers.location, place);
    if (!['http:', 'https:'].includes(place.protocol))
      throw notConnected(`unsupported protocol scheme "${place.protocol.slice(0, -1)}"`);
  }
}

function answerOf(place: URL, signal: AbortSignal): Promise<http.IncomingMessage> {
  const get: typeof http.get = place.protocol === 'https:' ? https.get : http.get;
  return new Promise((resolve, reject) => {
    get(place, { signal }, resolve).once('error', (error: NodeJS.ErrnoException) => {
      if (signal.aborted) return reject(error);
      if (error.code !== 'ECONNREFUSED') return reject(notConnected(connectionWords(error)));
      const refused = `The connection to the server ${place.host} was refused - did you specify the right host or port?`;
      reject(new CommandError(refused, { plain: true }));
    });
  });
}

async function readAll(response: http.IncomingMessage, url: string, longest: number): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of response as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > longest) throw new CommandError(`${url} is too large for a manifest`);
      pieces.push(piece);
    }
  } catch (error) {
    throw error instanceof CommandError ? error : new CommandError(`unable to read URL "${url}": unexpected EOF`);
  }
  return Buffer.concat(pieces).toString();
}

function notConnected(words: string): CommandError {
  return new CommandError(`Unable to connect to the server: ${words}`, { plain: true });
}
