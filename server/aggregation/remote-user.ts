import type { UserInfo } from '../api/user-info.ts';

/**
 * The headers that name the user of a request to an extension server. If a client sends such a header, the server does
 * not forward it.
 */
export const REMOTE_USER_HEADERS: readonly string[] = ['x-remote-user', 'x-remote-uid', 'x-remote-group'];
export const REMOTE_EXTRA_PREFIX = 'x-remote-extra-';

const PLAIN = /^[\x20-\x7e]*$/;

/**
 * A text as the value of a header. Node writes headers as Latin-1, so the function turns the bytes of the UTF-8 form
 * into Latin-1 characters. Control characters, which no header may contain, become blanks.
 */
function headerValue(text: string): string {
  if (PLAIN.test(text)) return text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no header may contain these characters
  return Buffer.from(text.replace(/[\x00-\x08\x0a-\x1f\x7f]/g, ' '), 'utf8').toString('latin1');
}

/**
 * A key as a part of a header name. The function percent-encodes characters that a header name may not contain, and the
 * percent sign.
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

/** The headers that name the user of a request to an extension server. Names and values alternate in the list. */
export function remoteUserHeaders({ name, uid, groups, extra }: UserInfo): string[] {
  const headers = ['x-remote-user', headerValue(name)];
  if (uid !== '') headers.push('x-remote-uid', headerValue(uid));
  for (const group of groups) headers.push('x-remote-group', headerValue(group));
  for (const [key, values] of Object.entries(extra)) {
    for (const value of values) headers.push(REMOTE_EXTRA_PREFIX + headerKey(key), headerValue(value));
  }
  return headers;
}
