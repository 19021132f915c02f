import type { Client } from '#client/client.ts';
import { RELEASE } from '#program/flags/release.ts';
import { CommandError } from '../framework/errors.ts';

/** The version that a server reports. */
export interface ServerVersion {
  readonly major: string;
  readonly minor: string;
  readonly gitVersion: string;
}

export function serverVersion(client: Client): Promise<ServerVersion> {
  return client.getJson<ServerVersion>('/version');
}

/**
 * Checks `--match-server-version`.
 * @throws CommandError if the server's release differs from the release of this program
 */
export async function matchVersions(client: Client): Promise<void> {
  const [theirs, own] = [await serverVersion(client), RELEASE].map(({ major, minor }) => `${major}.${digits(minor)}`);
  if (theirs !== own) throw new CommandError(`server version (${theirs}) differs from client version (${own})`);
}

/**
 * The warning about a server whose release is too far from the release of this program. Undefined means that it is
 * near.
 */
export function skewWarning({ major, minor }: ServerVersion): string | undefined {
  const [theirs, own] = [digits(minor), digits(RELEASE.minor)];
  if (Number.isNaN(theirs) || (major === RELEASE.major && Math.abs(theirs - own) <= 1)) return undefined;
  return `WARNING: version difference between client (${RELEASE.major}.${own}) and server (${major}.${theirs}) exceeds the supported minor version skew of +/-1`;
}

/** The digits of a release. Some servers add a `+` after the number. */
function digits(minor: string): number {
  return Number.parseInt(minor, 10);
}
