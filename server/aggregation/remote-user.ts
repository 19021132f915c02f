import type { UserInfo } from '../api/user-info.ts';
import { table } from '../base/own-properties.ts';

/** Headers in which this server names users to extension servers: what clients send there is not passed on. */
export const REMOTE_USER_HEADERS: readonly string[] = ['x-remote-user', 'x-remote-uid', 'x-remote-group'];
export const REMOTE_EXTRA_PREFIX = 'x-remote-extra-';

/** Names of users are UTF-8, and Node writes headers as Latin-1. What would end a header line cannot be in one. */
function headerValue(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those that no header may have
  return Buffer.from(text.replace(/[\x00-\x08\x0a-\x1f\x7f]/g, ' '), 'utf8').toString('latin1');
}

/** A key as a part of a header's name: what may not be in one is percent-encoded, and so is the percent sign. */
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

/** The headers that tell an extension server who makes a request. */
export function remoteUserHeaders({ name, uid, groups, extra }: UserInfo): Record<string, readonly string[]> {
  const headers: Record<string, readonly string[]> = table({
    'x-remote-user': [headerValue(name)],
    ...(uid === '' ? {} : { 'x-remote-uid': [headerValue(uid)] }),
    ...(groups.length === 0 ? {} : { 'x-remote-group': groups.map(headerValue) }),
  });
  for (const [key, values] of Object.entries(extra)) {
    if (values.length > 0) headers[REMOTE_EXTRA_PREFIX + headerKey(key)] = values.map(headerValue);
  }
  return headers;
}
