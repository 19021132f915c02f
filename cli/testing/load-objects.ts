import { readFileSync } from 'node:fs';
import { connect } from '#client/client.ts';
import { discover } from '#client/discovery/discovery.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { readConnection } from '#program/connection/connection-file.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { parseYamlDocuments } from '../manifests/parse-yaml.ts';

/** An object in a file of a test. Further fields say what happens to the object after its creation. */
interface Loaded extends ApiObject {
  /** Whether the test deletes the object after its creation. Finalizers or a grace period then keep the object. */
  deleted?: boolean;
  /** The subresource to which the status is written. It is `approval` for certificate requests. */
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
 * Creates the objects of YAML files one after the other, and writes the status of each. If an owner reference or the
 * object of an event has no uid, the function looks up the uid first.
 */
export async function loadObjects(kubeconfig: string, files: readonly string[]): Promise<void> {
  const client = await connect(readConnection(kubeconfig));
  try {
    let discovered = await discover(client);
    const collectionOf = async ({ apiVersion = 'v1', kind = '', namespace }: Reference) => {
      // If the files define a kind, the server needs a moment until it serves that kind.
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
