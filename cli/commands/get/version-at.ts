import type { Client } from '#client/client.ts';
import { ApiError, isGone } from '#client/errors.ts';
import type { Session } from '../../connection/session.ts';
import { CommandError } from '../../framework/errors.ts';
import { parseDuration } from '../../framework/flag.ts';

interface LeaseList {
  readonly metadata?: { readonly resourceVersion?: string };
  readonly items?: readonly { readonly spec?: { readonly renewTime?: string | null } }[] | null;
}

/**
 * The past version that `--at` selects. A resourceVersion is used unchanged. For a duration (`5m`), it is the newest
 * version of at least that age. Times are read from leases, which their holders renew every few seconds, so the result
 * is exact to a few seconds.
 * @throws CommandError if the text is neither, if the server has already removed such an old version, or if no lease is
 * renewed
 */
export async function versionAt(session: Session, text: string): Promise<string> {
  if (/^[1-9]\d*$/.test(text)) return text;
  const ago = parseDuration(text);
  if (ago === undefined || ago <= 0)
    throw new CommandError(`--at must be a resourceVersion (4711) or an age (5m), not ${JSON.stringify(text)}`);
  const client = await session.client();
  const wanted = session.io.now() - ago;
  const now = await leasesAt(client, undefined);
  if (now.time === undefined)
    throw new CommandError(
      '--at needs a resourceVersion: the server has no renewed leases that show the time of old versions',
    );
  // A binary search finds the moment. A version that the server has already removed is too old.
  let [low, high] = [1, now.version];
  let best: number | undefined;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const { time } = await leasesAt(client, middle).catch((error: unknown) => {
      if (isGone(error) || (error instanceof ApiError && error.code === 400)) return { time: 'gone' as const };
      throw error;
    });
    if (time === 'gone') low = middle + 1;
    else if (time === undefined || time <= wanted) {
      if (time !== undefined) best = middle;
      low = middle + 1;
    } else high = middle - 1;
  }
  if (best === undefined)
    throw new CommandError(`the server no longer keeps the version of ${text} ago`, {
      hint: 'The server keeps old versions for some minutes: try a shorter time.',
    });
  return String(best);
}

/** The time of the newest renewal of any lease at a version, in milliseconds since 1970. */
async function leasesAt(
  client: Client,
  version: number | undefined,
): Promise<{ time: number | undefined; version: number }> {
  const group = client.naming.group('coordination');
  const exact = version === undefined ? '' : `?resourceVersion=${version}&resourceVersionMatch=Exact`;
  const list = await client.getJson<LeaseList>(`/apis/${group}/v1/leases${exact}`);
  const times = (list.items ?? [])
    .map(({ spec }) => Date.parse(spec?.renewTime ?? ''))
    .filter((time) => !Number.isNaN(time));
  return {
    time: times.length === 0 ? undefined : Math.max(...times),
    version: Number(list.metadata?.resourceVersion ?? 0),
  };
}
