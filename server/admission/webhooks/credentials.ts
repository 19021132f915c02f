import type { Naming } from '#base/naming/naming.ts';
import { type ConnectionUsers, type Credentials, readConnectionUsers } from '#program/connection/connection-file.ts';
import { webhookAdmission } from '#program/operator-files/kinds.ts';
import type { FilePart } from '#program/operator-files/read-file.ts';

/** The credentials with which this server calls a webhook; undefined for a call without credentials. */
export type CredentialsFor = (hostPort: string) => Credentials | undefined;

/**
 * Finds the user of a connection file that is meant for a host: its name is `host:port`, the host alone for port 443,
 * the same with the first labels as `*`, or `*` for every host; else the user of the current context.
 */
export function credentialsIn({ byName, current }: ConnectionUsers): CredentialsFor {
  const named = (name: string): Credentials | undefined => {
    const exact = byName.get(name);
    if (exact !== undefined) return exact;
    const labels = name.split('.');
    for (let i = 1; i < labels.length; i++) {
      const wild = byName.get(`*.${labels.slice(i).join('.')}`);
      if (wild !== undefined) return wild;
    }
    return undefined;
  };
  return (hostPort) => {
    const found = named(hostPort);
    if (found !== undefined) return found;
    const withoutPort = hostPort.endsWith(':443') ? named(hostPort.slice(0, -4)) : undefined;
    return withoutPort ?? byName.get('*') ?? current;
  };
}

/**
 * Reads the WebhookAdmissionConfiguration of a plug-in.
 * @throws ConfigError with a line for each mistake in it, and for a connection file that cannot be read
 */
export function readWebhookCredentials(configuration: FilePart | undefined, naming: Naming): CredentialsFor {
  const { kubeConfigFile } = configuration?.as(webhookAdmission, naming) ?? {};
  return kubeConfigFile ? credentialsIn(readConnectionUsers(configuration!.resolve(kubeConfigFile))) : () => undefined;
}
