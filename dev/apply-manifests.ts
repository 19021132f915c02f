import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import { ConfigError } from '#base/errors/config-error.ts';

import type { Client } from '#client/client.ts';
import { Discovery } from '#client/discovery/discovery.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';

/** Matches the names of files that are manifests. */
const MANIFEST = /\.(ya?ml|json)$/;

/** Kinds of objects that other objects need. They come first. All other objects stay in the order of their files. */
const FIRST = ['CustomResourceDefinition', 'Namespace'];

/** How long the server may take to serve kinds after their definition, in milliseconds. */
const SERVED_WITHIN_MS = 10_000;
const AGAIN_MS = 50;

/** An object of a manifest, and its file. */
interface Manifest {
  readonly file: string;
  readonly object: ApiObject & { readonly apiVersion: string; readonly kind: string };
}

/**
 * Applies all manifests of a folder.
 *
 * @throws ConfigError that names the file, if it cannot be read or the server refuses it
 */
export async function applyManifests(folder: string, client: Client): Promise<number> {
  const manifests = readManifests(folder);
  const rank = ({ object }: Manifest) => (FIRST.indexOf(object.kind) + FIRST.length + 1) % (FIRST.length + 1);
  const discovery = new Discovery(client);
  for (const { file, object } of manifests.toSorted((a, b) => rank(a) - rank(b))) {
    const { apiVersion, kind } = object;
    const giveUpAt = performance.now() + SERVED_WITHIN_MS;
    let type = (await discovery.get()).ofKind(apiVersion, kind);
    while (type === undefined) {
      if (performance.now() > giveUpAt) throw new ConfigError(`${file}: the server has no ${kind} of ${apiVersion}`);
      await sleep(AGAIN_MS);
      type = (await discovery.refresh()).ofKind(apiVersion, kind);
    }
    const { name = '', namespace } = object.metadata;
    const within = client.resource(type).in(type.namespaced ? (namespace ?? 'default') : undefined);
    try {
      await within.apply(
        { ...object, metadata: { ...object.metadata, name } },
        { fieldManager: 'orch-dev', force: true },
      );
    } catch (error) {
      throw new ConfigError(`${file}: ${kind} ${name}: ${(error as Error).message}`);
    }
  }
  return manifests.length;
}

function readManifests(folder: string): Manifest[] {
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => MANIFEST.test(name));
  } catch (error) {
    throw new ConfigError(`cannot read the folder of --definitions: ${(error as Error).message}`);
  }
  return names.sort().flatMap((name) => {
    const file = path.join(folder, name);
    return parseAllDocuments(readFileSync(file, 'utf8')).flatMap((document) => {
      const [mistake] = document.errors;
      if (mistake !== undefined) throw new ConfigError(`${file}: ${mistake.message.split('\n')[0]}`);
      return objectsIn(document.toJS(), file);
    });
  });
}

function objectsIn(value: unknown, file: string): Manifest[] {
  if (value === null || value === undefined) return [];
  const object = value as { apiVersion?: unknown; kind?: unknown; metadata?: unknown; items?: unknown };
  if (typeof object.apiVersion !== 'string' || typeof object.kind !== 'string')
    throw new ConfigError(`${file}: a manifest has an apiVersion and a kind`);
  if (object.kind === 'List' && Array.isArray(object.items)) return object.items.flatMap((one) => objectsIn(one, file));
  if (typeof object.metadata !== 'object' || object.metadata === null)
    throw new ConfigError(`${file}: the ${object.kind} has no metadata`);
  return [{ file, object: object as Manifest['object'] }];
}
