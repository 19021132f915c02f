import { once } from 'node:events';
import https from 'node:https';
import { createNaming } from '#base/naming/create-naming.ts';
import { testPki } from '#server/testing/replica.ts';

export const naming = createNaming('orch');
export const MAPS = '/api/v1/namespaces/default/configmaps';

export const policy = {
  apiVersion: naming.apiVersion('audit', 'v1'),
  kind: 'Policy',
  rules: [
    { level: 'None', users: ['admin'], resources: [{ resources: ['services'] }] },
    { level: 'Metadata', resources: [{ resources: ['secrets', 'serviceaccounts/token'] }] },
    { level: 'RequestResponse', resources: [{ resources: ['configmaps'] }], omitManagedFields: true },
    { level: 'Request', resources: [{ resources: ['pods/eviction'] }, { group: 'apps' }] },
    { level: 'Request', resources: [{ resources: ['namespaces'] }], omitStages: ['RequestReceived'] },
    { level: 'Metadata', omitStages: ['RequestReceived'] },
  ],
};

// biome-ignore lint/suspicious/noExplicitAny: tests look into events of any kind
export type Found = any;

/** Sends a request without a client certificate. */
export async function call(
  port: number,
  method: string,
  target: string,
  headers: Record<string, string>,
  body?: object,
) {
  const sent = https.request({
    host: '127.0.0.1',
    port,
    method,
    path: target,
    headers: { ...(body && { 'Content-Type': 'application/json' }), ...headers },
    ca: testPki().read('ca.crt'),
    servername: 'localhost',
    agent: false,
  });
  sent.end(body && JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  response.resume();
  await once(response, 'end');
  return response;
}

export function tokenOf(user: string): string {
  const line = testPki().read('tokens.csv').toString().split('\n');
  return line.find((text) => text.split(',')[1] === user)!.split(',')[0]!;
}
