import { readFileSync } from 'node:fs';
import { connect } from '#client/client.ts';
import { discover } from '#client/discovery/discovery.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { readConnection } from '#program/connection/connection-file.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { parseYamlDocuments } from '../manifests/parse-yaml.ts';

/** An object in files of tests, with fields that control its further life. */
interface Loaded extends ApiObject {
  /** Whether the object is deleted after its creation. Its finalizers or its grace period keep it. */
  deleted?: boolean;
  /** The subresource that takes the status: `approval` of requests for certificates. */
  through?: string;
}

interface Reference {
  apiVersion?: string | undefined;
  kind?: string | undefined;
  name?: string;
  namespace?: string | undefined;
  uid?: string | undefined;
}

/**
 * Creates the objects of YAML files one after the other, each with its status. Fills in missing uids of owners and of
 * the objects of events.
 */
export async function loadObjects(kubeconfig: string, files: readonly string[]): Promise<void> {
  const client = await connect(readConnection(kubeconfig));
  try {
    let discovered = await discover(client);
    const collectionOf = async ({ apiVersion = 'v1', kind = '', namespace }: Reference) => {
      // Kinds that the files define are served a moment later.
      const type = (await waitUntil(`${kind} of ${apiVersion} is served`, async () => {
        const known = discovered.ofKind(apiVersion, kind);
        if (known === undefined) discovered = await discover(client);
        return known;
      }))!;
      return client.resource(type).in(type.namespaced ? namespace : undefined);
    };
    for (const document of files.flatMap((file) => parseYamlDocuments(readFileSync(file, 'utf8'), file))) {
      const { deleted, through = 'status', status, ...object } = document as Loaded;
      const { apiVersion, kind, metadata } = object;
      const collection = await collectionOf({ apiVersion, kind, namespace: metadata.namespace });
      const about = object['involvedObject'] as Reference | undefined;
      if (about?.kind !== undefined && about.name !== undefined && about.uid === undefined)
        about.uid = (await (await collectionOf(about)).get(about.name)).metadata.uid;
      for (const owner of metadata.ownerReferences ?? [])
        owner.uid ??= (await (await collectionOf({ ...owner, namespace: metadata.namespace })).get(owner.name)).metadata
          .uid!;
      const { ephemeralContainers, ...spec } = (object['spec'] ?? {}) as { ephemeralContainers?: object[] };
      const name = metadata.name!;
      try {
        await collection.create(ephemeralContainers === undefined ? object : { ...object, spec }, {
          fieldValidation: 'Strict',
        });
        if (ephemeralContainers !== undefined)
          await collection.patch(
            name,
            'strategic',
            { spec: { ephemeralContainers } },
            { subresource: 'ephemeralcontainers' },
          );
        if (status !== undefined) await collection.patch(name, 'merge', { status }, { subresource: through });
        if (deleted === true) await collection.delete(name);
      } catch (error) {
        throw new Error(`${kind} ${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
      }
    }
  } finally {
    await client.close();
  }
}
