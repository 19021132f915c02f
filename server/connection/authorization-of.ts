import { readFile } from 'node:fs/promises';
import type { Credentials } from './connection-file.ts';

/** The Authorization header that goes with credentials; undefined for none. A token file is read anew each time. */
export async function authorizationOf(credentials: Credentials | undefined): Promise<string | undefined> {
  if (credentials === undefined) return undefined;
  const { tokenFile, username, password } = credentials;
  const token = tokenFile === undefined ? credentials.token : (await readFile(tokenFile, 'utf8')).trim();
  if (token !== undefined) return `Bearer ${token}`;
  if (username === undefined) return undefined;
  return `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}`;
}
