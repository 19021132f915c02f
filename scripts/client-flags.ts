import path from 'node:path';
import type { Naming } from '#base/naming/naming.ts';
import { writeConnectionFile } from '#program/connection/write-connection-file.ts';
import type { Pki } from './pki.ts';

/**
 * The flags of a program of this project: its connection to a local API server as one of the users of a PKI folder, and
 * its serving certificate from that folder. `file` is the name of its connection file there.
 */
export function clientFlags(naming: Naming, pki: Pki, user: string, file: string, apiPort: number): string[] {
  const connection = path.join(pki.directory, file);
  writeConnectionFile(connection, naming.product, {
    server: `https://127.0.0.1:${apiPort}`,
    ca: pki.read('ca.crt'),
    clientCertificate: pki.read(`${user}.crt`),
    clientKey: pki.read(`${user}.key`),
  });
  return [
    `--naming=${naming.profile}`,
    `--kubeconfig=${connection}`,
    `--tls-cert-file=${pki.file('server.crt')}`,
    `--tls-private-key-file=${pki.file('server.key')}`,
  ];
}
