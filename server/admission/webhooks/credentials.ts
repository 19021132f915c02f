import path from 'node:path';
import { ConfigError } from '#base/errors/config-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { type ConnectionUsers, type Credentials, readConnectionUsers } from '#program/connection/connection-file.ts';
import { configurationOf, type PluginConfiguration } from '../configuration.ts';

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
 * @throws ConfigError for another kind and for a connection file that cannot be read
 */
export function readWebhookCredentials(configuration: PluginConfiguration | undefined, naming: Naming): CredentialsFor {
  const versions = ['v1', 'v1alpha1'].map((version) => naming.apiVersion('apiserver.config', version));
  const fields = configurationOf(
    configuration,
    versions.map((version) => ['WebhookAdmissionConfiguration', version] as const),
  );
  const file = fields?.['kubeConfigFile'] ?? '';
  if (typeof file !== 'string') throw new ConfigError(`${configuration!.file}: kubeConfigFile is not a text`);
  if (file === '') return () => undefined;
  return credentialsIn(readConnectionUsers(path.resolve(configuration!.directory, file)));
}
