import { forbidden, notFound, serviceUnavailable } from '#base/errors/status-error.ts';
import type { Client } from '#client/client.ts';
import { ApiError } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import type { AdmissionChain } from '#server/api/admission.ts';
import { subjectOf } from '#server/resources/registry.ts';

/**
 * Refuses new objects in namespaces that the main server does not have or is deleting. It answers 503 if the main
 * server does not answer.
 */
export function knownNamespaces(client: Client): AdmissionChain {
  const isActive = async (namespace: string): Promise<boolean | undefined> => {
    try {
      const { metadata } = await client.resource(coreV1.namespaces).get(namespace);
      return (metadata.deletionTimestamp ?? null) === null;
    } catch (error) {
      if (error instanceof ApiError && error.code === 404) return undefined;
      throw serviceUnavailable(`the namespace ${namespace} cannot be looked at: ${(error as Error).message}`);
    }
  };
  return {
    async mutate({ operation, served, namespace, name }) {
      if (operation !== 'CREATE' || namespace === '') return;
      const active = await isActive(namespace);
      if (active === undefined) throw notFound({ group: '', resource: 'namespaces' }, namespace);
      if (!active) throw forbidden(subjectOf(served), name, `namespace ${namespace} is being terminated`);
    },
    async validate() {},
  };
}
