import type { UserInfo } from '../api/user-info.ts';

/** Headers in which this server names users to extension servers: what clients send there is not passed on. */
export const REMOTE_USER_HEADERS: readonly string[] = ['x-remote-user', 'x-remote-uid', 'x-remote-group'];
export const REMOTE_EXTRA_PREFIX = 'x-remote-extra-';

const PLAIN = /^[\x20-\x7e]*$/;

/** Names of users are UTF-8, and Node writes headers as Latin-1. What would end a header line cannot be in one. */
function headerValue(text: string): string {
  if (PLAIN.test(text)) return text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those that no header may have
  return Buffer.from(text.replace(/[\x00-\x08\x0a-\x1f\x7f]/g, ' '), 'utf8').toString('latin1');
}

/**
 * A key as a part of a header name: characters that a name may not contain are percent-encoded, and so is the percent
 * sign.
 */
function headerKey(key: string): string {
  return [...Buffer.from(key, 'utf8')]
    .map((byte) => {
      const letter = String.fromCharCode(byte);
      return /[!#$&'*+\-.^_`|~0-9A-Za-z]/.test(letter)
        ? letter
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

/** The headers that tell an extension server the user of a request, names and values alternating. */
export function remoteUserHeaders({ name, uid, groups, extra }: UserInfo): string[] {
  const headers = ['x-remote-user', headerValue(name)];
  if (uid !== '') headers.push('x-remote-uid', headerValue(uid));
  for (const group of groups) headers.push('x-remote-group', headerValue(group));
  for (const [key, values] of Object.entries(extra)) {
    for (const value of values) headers.push(REMOTE_EXTRA_PREFIX + headerKey(key), headerValue(value));
  }
  return headers;
}
