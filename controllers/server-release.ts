import { defaultRelease, findRelease, latestRelease, type Release } from '#base/release/release.ts';
import type { Client } from '#client/client.ts';
import { isNotFound } from '#client/errors.ts';

/** Replicas of another release may replace the present ones while a controller runs. */
const KNOWN_FOR_MS = 60_000;

/**
 * Reads from time to time the release of a server, because conditions and permissions differ between releases. If a
 * server does not report its release, it counts as the first one.
 *
 * @example const release = serverRelease(client); if ((await release()).atLeast(26)) …
 */
export function serverRelease(client: Client): () => Promise<Release> {
  let known: { readonly release: Promise<Release>; readonly at: number } | undefined;
  return () => {
    const now = performance.now();
    if (known !== undefined && now - known.at < KNOWN_FOR_MS) return known.release;
    const release = ask(client);
    known = { release, at: now };
    release.catch(() => {
      if (known?.release === release) known = undefined;
    });
    return release;
  };
}

async function ask(client: Client): Promise<Release> {
  try {
    const { major, minor } = await client.getJson<{ major?: unknown; minor?: unknown }>('/version');
    const number = Number.parseInt(String(minor), 10);
    return findRelease(`${major}.${number}`) ?? (number > latestRelease.minor ? latestRelease : defaultRelease);
  } catch (error) {
    if (isNotFound(error)) return defaultRelease;
    throw error;
  }
}
