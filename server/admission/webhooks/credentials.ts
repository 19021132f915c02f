import type { Naming } from '#base/naming/naming.ts';
import type { LoadedCredentials } from '#program/connection/loaded-connection.ts';
import { webhookAdmission } from '#program/operator-files/kinds.ts';
import type { FilePart } from '#program/operator-files/read-file.ts';
import { readWebhookUsers, type Warn, type WebhookUsers } from '../../outbound/webhook-connection.ts';

/** The credentials with which this server calls a webhook; undefined for a call without credentials. */
export type CredentialsFor = (hostPort: string) => LoadedCredentials | undefined;

/**
 * Finds the user of a connection file for a host. The user's name is one of these: `host:port`, the host alone for port
 * 443, the same with `*` for the first labels, or `*` for every host. If no name matches, it is the user of the current
 * context.
 */
export function credentialsIn({ byName, current }: WebhookUsers): CredentialsFor {
  const named = (name: string): LoadedCredentials | undefined => {
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
 *
 * @param warn gets each unknown field of its connection file
 * @throws ConfigError with a line for each mistake in it and in its connection file
 */
export function readWebhookCredentials(
  configuration: FilePart | undefined,
  naming: Naming,
  warn: Warn,
): CredentialsFor {
  const { kubeConfigFile } = configuration?.as(webhookAdmission, naming) ?? {};
  if (!kubeConfigFile) return () => undefined;
  return credentialsIn(readWebhookUsers(configuration!.resolve(kubeConfigFile), warn));
}
