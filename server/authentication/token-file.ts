import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { ConfigError } from '#base/errors/config-error.ts';
import type { UserInfo } from '../api/user-info.ts';
import type { TokenAuthenticator } from './authenticator.ts';

interface KnownToken {
  readonly digest: Buffer;
  readonly user: UserInfo;
}

/**
 * The tokens of a CSV file, which is read once. The columns are token, user name, uid and optionally groups. A quoted
 * column may contain several groups.
 * @throws ConfigError that names the file and line
 */
export function tokenFileAuthenticator(file: string): TokenAuthenticator {
  const tokens = readTokens(file);
  return async (token) => {
    const sent = digest(token);
    let found: UserInfo | undefined;
    // All tokens are compared, as digests of one length, so that the time of the comparison reveals nothing.
    for (const known of tokens) if (timingSafeEqual(known.digest, sent)) found = known.user;
    return found && { user: found };
  };
}

function readTokens(file: string): readonly KnownToken[] {
  const tokens = new Map<string, KnownToken>();
  for (const [index, [token = '', name = '', uid, ...groups]] of rows(file).entries()) {
    if (uid === undefined)
      throw new ConfigError(`${file}: row ${index + 1} must have at least 3 columns: token, user name, uid`);
    if (token === '') throw new ConfigError(`${file}: row ${index + 1} has an empty token`);
    tokens.set(token, { digest: digest(token), user: { name, uid, groups: groups.flatMap(splitGroups), extra: {} } });
  }
  return [...tokens.values()];
}

function splitGroups(text: string): string[] {
  return text
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '');
}

function rows(file: string): string[][] {
  try {
    return parse(readFileSync(file), { relax_column_count: true, skip_empty_lines: true, trim: true, comment: '#' });
  } catch (error) {
    throw new ConfigError(`cannot read tokens from ${file}: ${messageOf(error)}`);
  }
}

/** The parser's message without the text that caused it, because this text may contain a token. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const { code, lines } = error as Error & { code?: string; lines?: number };
  return lines === undefined ? error.message : `${code ?? 'bad CSV'} at line ${lines}`;
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
