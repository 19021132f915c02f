import type { DatastoreEndpoint } from '#storage/endpoint.ts';
import type { Backend } from './backend.ts';
import { EmbeddedFile } from './embedded-file.ts';
import { Etcd, type EtcdPlace } from './etcd.ts';

/**
 * Opens the store of an endpoint. `makes` means that a missing file is created empty.
 *
 * @throws ConfigError with advice
 */
export async function openBackend(endpoint: DatastoreEndpoint, tls: EtcdPlace, makes = false): Promise<Backend> {
  if (endpoint.kind === 'memory') throw new TypeError('what is in memory belongs to the process that has it');
  if (endpoint.kind === 'file') return EmbeddedFile.open(endpoint.file, makes);
  return new Etcd({ ...tls, servers: endpoint.servers });
}
