import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import type { LoadedConnection } from './loaded-connection.ts';

/** Writes a connection file, readable by its owner only, with one context named `name`. */
export function writeConnectionFile(file: string, name: string, connection: LoadedConnection): void {
  writeFileSync(file, formatConnection(name, connection), { mode: 0o600 });
}

/** The text of a connection file with one context; certificates and keys are embedded. */
export function formatConnection(name: string, connection: LoadedConnection): string {
  const data = (pem: string | undefined) => pem && Buffer.from(pem).toString('base64');
  return stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name,
          cluster: defined({
            server: connection.server,
            'certificate-authority-data': data(connection.ca),
            'insecure-skip-tls-verify': connection.insecureSkipTlsVerify,
            'tls-server-name': connection.tlsServerName,
            'proxy-url': connection.proxyUrl,
          }),
        },
      ],
      users: [
        {
          name,
          user: defined({
            'client-certificate-data': data(connection.clientCertificate),
            'client-key-data': data(connection.clientKey),
            token: connection.token,
            tokenFile: connection.tokenFile,
            username: connection.username,
            password: connection.password,
          }),
        },
      ],
      contexts: [{ name, context: defined({ cluster: name, user: name, namespace: connection.namespace }) }],
      'current-context': name,
    },
    { lineWidth: 0 },
  );
}

function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
