import type { Naming } from '#base/naming/naming.ts';
import type { Connection } from '#program/connection/connection.ts';
import { toYaml } from '#schema/yaml/write.ts';
import type { ClusterFiles } from './certificates.ts';

/** The user of a connection to the cluster, by the name of a certificate. */
type Identity = 'admin' | 'controller-manager' | 'scheduler';

/** The connection of this process to its own server. */
export function connectionAs(identity: Identity, server: string, files: ClusterFiles): Connection {
  return {
    cluster: { server, ca: { text: files.read('ca.crt') } },
    user: {
      clientCertificate: { text: files.read(`${identity}.crt`) },
      clientKey: { text: files.read(`${identity}.key`) },
    },
  } as Connection;
}

/** A connection file of the administrator that contains all data. */
export function connectionFile(server: string, files: ClusterFiles, { product }: Naming): string {
  const data = (name: string) => Buffer.from(files.read(name)).toString('base64');
  return toYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: product, cluster: { server, 'certificate-authority-data': data('ca.crt') } }],
    users: [
      { name: 'admin', user: { 'client-certificate-data': data('admin.crt'), 'client-key-data': data('admin.key') } },
    ],
    contexts: [{ name: product, context: { cluster: product, user: 'admin' } }],
    'current-context': product,
  });
}
