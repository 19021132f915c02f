import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DiscoveredType } from '#client/discovery/discovered.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Io } from '../../framework/io.ts';
import { withoutManaged } from '../../output/printer.ts';
import { toYaml } from '../../output/yaml.ts';
import { runDiff } from './run-diff.ts';

/** Writes an object into one of the two folders. The file contains managed fields only if `managers` is true. */
export type Put = (side: 'before' | 'after', type: DiscoveredType, object: ApiObject, managers?: boolean) => void;

/**
 * Lets `fill` write objects into two folders, shows their differences, and removes the folders. `names` are the
 * prefixes of the folders' names. Resolves to whether the folders differ.
 *
 * @throws the errors of `fill` and of {@link runDiff}.
 */
export async function diffOf(
  io: Io,
  names: readonly [before: string, after: string],
  fill: (put: Put) => Promise<void>,
): Promise<boolean> {
  const folders = names.map((name) => mkdtempSync(path.join(tmpdir(), name))) as [string, string];
  try {
    await fill((side, type, object, managers = false) => {
      const text = toYaml(managers ? object : withoutManaged(object));
      writeFileSync(path.join(folders[side === 'before' ? 0 : 1], fileOf(type, object)), text, { mode: 0o600 });
    });
    return await runDiff(folders, io);
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}

function fileOf({ group, version, kind }: DiscoveredType, { metadata }: ApiObject): string {
  const { namespace = '', name = '' } = metadata;
  return [...(group === '' ? [] : [group]), version, kind, namespace, name].join('.').replaceAll('/', '_');
}
