import path from 'node:path';

/**
 * The address of a webhook. Its path is cleaned as clients of this field clean theirs, without which servers would send
 * the request elsewhere, or not know it: no segment is empty, and no slash is at the end.
 *
 * @param base what a path alone belongs to
 * @throws TypeError where it is no URL
 * @example webhookUrl('https://127.0.0.1:9443//validate/').href // => 'https://127.0.0.1:9443/validate'
 */
export function webhookUrl(text: string, base?: string): URL {
  // a path that begins with two slashes would name a host
  const url = base === undefined ? new URL(text) : new URL(path.posix.join('/', text), base);
  const clean = path.posix.normalize(url.pathname);
  url.pathname = clean.length > 1 ? clean.replace(/\/$/, '') : clean;
  return url;
}
