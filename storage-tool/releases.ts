import { ConfigError } from '#base/errors/config-error.ts';
import { isObject, type JsonObject } from '#base/json/json-value.ts';
import { parseStored } from '#base/json/parse-stored.ts';
import { findRelease, type Release, releases } from '#base/release/release.ts';
import type { Data } from './data.ts';
import { type Out, tableText } from './output.ts';
import { StoredParts } from './stored-parts.ts';

/** A stored part that only some releases have. */
interface Need {
  /** The first release that has it. */
  readonly since: string;
  /** The last release that has it. Empty if the latest release has it. */
  readonly last: string;
  readonly resource: string;
  /** The part: a kind, a version, a field or a value. */
  readonly part: string;
  objects: number;
  /** The key of the first object with it. */
  readonly example: string;
}

/**
 * Prints the kinds, versions, fields and values in the store that only some releases have, with these releases. If a
 * release is named, it prints only what that release lacks, and the exit status is 1 if there is something. Such parts
 * are not lost with that release: it hides them.
 * @throws ConfigError if the argument names no release
 */
export async function releasesNeeded(data: Data, out: Out, [asked]: readonly string[]): Promise<number> {
  const only = asked === undefined ? undefined : findRelease(asked);
  if (asked !== undefined && only === undefined)
    throw new ConfigError(`releases are ${releases[0]!.name} to ${releases.at(-1)!.name}, and not ${asked}`);
  const parts = new StoredParts(data.naming);
  const needs = new Map<string, Need>();
  const unread: { key: string; problem: string }[] = [];
  let seen = 0;
  await data.each('', ({ id, key, plain, problem }) => {
    out.progress('objects', ++seen);
    const builtIn = data.builtIn.get(id);
    if (builtIn === undefined) return;
    let object: JsonObject;
    try {
      if (plain === undefined) throw new Error(problem);
      const parsed = parseStored<unknown>(plain);
      if (!isObject(parsed as JsonObject)) throw new Error('it is no object');
      object = parsed as JsonObject;
    } catch (error) {
      unread.push({ key, problem: error instanceof Error ? error.message : String(error) });
      return;
    }
    for (const [part, having] of parts.of(id, builtIn, object)) {
      if (only !== undefined && having.includes(only)) continue;
      const name = `${id} ${part}`;
      const known = needs.get(name);
      if (known !== undefined) known.objects++;
      else needs.set(name, { ...spanOf(having), resource: id, part, objects: 1, example: key });
    }
  });
  const rows = [...needs.values()].sort(
    (a, b) =>
      Number(b.since.slice(2)) - Number(a.since.slice(2)) ||
      (a.resource < b.resource ? -1 : a.resource > b.resource ? 1 : a.part < b.part ? -1 : 1),
  );
  const text = [
    rows.length === 0
      ? ''
      : tableText(
          ['RELEASES', 'RESOURCE', 'PART', 'OBJECTS', 'FOR EXAMPLE'],
          rows.map(({ since, last, resource, part, objects, example }) => [
            last === '' ? `${since} and later` : `${since} to ${last}`,
            resource,
            part,
            objects,
            example,
          ]),
        ),
    ...unread.map(({ key, problem }) => `${key}: ${problem}\n`),
    `${seen} objects, ${rows.length} parts that ${only === undefined ? 'not every release' : `release ${only.name} does not`} ${only === undefined ? 'has' : 'have'}, ${unread.length} objects not read\n`,
  ].join('');
  out.result({ release: only?.name ?? null, objects: seen, needs: rows, unread }, text);
  return unread.length > 0 || (only !== undefined && rows.length > 0) ? 1 : 0;
}

/** The first and the last of some releases. The last is empty if there is no later release. */
function spanOf(having: readonly Release[]): { since: string; last: string } {
  const last = having.at(-1);
  return { since: having[0]?.name ?? '', last: last === undefined || last === releases.at(-1) ? '' : last.name };
}
