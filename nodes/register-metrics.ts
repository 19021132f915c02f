import type { Client } from '#client/client.ts';
import { isNotFound } from '#client/errors.ts';
import { apiregistrationV1, coreV1 } from '#client/generated/resources.ts';
import { METRICS_VERSION } from './endpoint/metrics-api.ts';

/** The service through which API servers read the usage that simulated nodes report. */
const METRICS_SERVICE = 'simulated-nodes';

/** The manager that owns the fields of both objects. */
const MANAGER = 'simulated-nodes';

/** The address of the nodes, and the authorities for their certificate. */
export interface MetricsPlace {
  readonly address: string;
  readonly port: number;
  /** The serving certificate (PEM). */
  readonly cert: string;
}

/** The name that the certificate must contain; it may contain others. */
export function metricsHost(client: Pick<Client, 'naming'>): string {
  return `${METRICS_SERVICE}.${client.naming.prefixed('system')}.svc`;
}

/**
 * Makes the API server forward requests for the usage of nodes and pods to the simulated nodes. Does nothing if another
 * program already serves them.
 *
 * @returns whether the simulated nodes serve them now
 * @throws ApiError if the user of the client has no permission
 */
export async function registerMetrics(client: Client, { address, port, cert }: MetricsPlace): Promise<boolean> {
  const { naming } = client;
  const group = naming.group('metrics');
  const name = `${METRICS_VERSION}.${group}`;
  const namespace = naming.prefixed('system');
  const services = client.resource(apiregistrationV1.apiservices);
  const there = await services.get(name).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  const { service: now } = there?.spec ?? {};
  if (there !== undefined && (now?.namespace !== namespace || now.name !== METRICS_SERVICE)) return false;
  const ours = { fieldManager: MANAGER, force: true };
  await client
    .resource(coreV1.services)
    .in(namespace)
    .apply({ metadata: { name: METRICS_SERVICE }, spec: { type: 'ExternalName', externalName: address } }, ours);
  await services.apply(
    {
      metadata: { name },
      spec: {
        ...{ group, version: METRICS_VERSION, groupPriorityMinimum: 100, versionPriority: 100 },
        service: { namespace, name: METRICS_SERVICE, port },
        caBundle: Buffer.from(cert).toString('base64'),
      },
    },
    ours,
  );
  return true;
}
