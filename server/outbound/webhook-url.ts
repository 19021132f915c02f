import path from 'node:path';

/**
 * The URL of a webhook. The path is cleaned as other clients of this field clean it: empty segments and a closing slash
 * are removed. Without this, some servers would redirect the request or not know the path.
 *
 * @param base the URL for a text that is only a path
 * @throws TypeError if it is not a URL
 * @example webhookUrl('https://127.0.0.1:9443//validate/').href // => 'https://127.0.0.1:9443/validate'
 */
export function webhookUrl(text: string, base?: string): URL {
  // A path that begins with two slashes would name a host.
  const url = base === undefined ? new URL(text) : new URL(path.posix.join('/', text), base);
  const clean = path.posix.normalize(url.pathname);
  url.pathname = clean.length > 1 ? clean.replace(/\/$/, '') : clean;
  return url;
}
