import type { Connection } from '#program/connection/connection.ts';
import { type TestReplica, testPki } from '#server/testing/replica.ts';

/** The connection of a test replica's administrator. */
export function adminConnection(replica: TestReplica): Connection {
  const pki = testPki();
  return {
    cluster: { server: `https://127.0.0.1:${replica.port}`, ca: { file: pki.file('ca.crt') } },
    user: { clientCertificate: { file: pki.file('admin.crt') }, clientKey: { file: pki.file('admin.key') } },
  };
}
