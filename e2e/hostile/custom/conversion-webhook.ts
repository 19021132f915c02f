import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Pki } from '../../../scripts/pki.ts';
import type { JsonObject } from '../../../server/json/json-value.ts';

/** A webhook that converts objects by naming them otherwise, and now and then answers what it should not. */
export interface ConversionWebhook {
  readonly url: string;
  /** Whom to trust for it, in base64. */
  readonly caBundle: string;
  stop(): Promise<void>;
}

/** What a webhook may answer instead, by turns. */
const DEFECTS: readonly ((review: JsonObject) => string)[] = [
  () => '',
  () => 'not JSON',
  () => '{}',
  () => '[]',
  (review) => JSON.stringify({ ...review, response: { uid: 'other', result: { status: 'Success' } } }),
  (review) => JSON.stringify({ ...review, response: { result: { status: 'Failure', message: 'no' } } }),
  (review) => JSON.stringify({ ...review, response: { convertedObjects: [null, 1], result: { status: 'Success' } } }),
];

/** `oddOf`: one answer of so many is odd; 0 for none. */
export async function startConversionWebhook(pki: Pki, oddOf: number): Promise<ConversionWebhook> {
  let asked = 0;
  const server = https.createServer(
    { cert: pki.read('server.crt'), key: pki.read('server.key') },
    (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const review = JSON.parse(Buffer.concat(chunks).toString());
        asked++;
        response.setHeader('Content-Type', 'application/json');
        if (oddOf > 0 && asked % oddOf === 0) return response.end(DEFECTS[(asked / oddOf) % DEFECTS.length]!(review));
        const { uid, desiredAPIVersion, objects } = review.request;
        const convertedObjects = objects.map((object: JsonObject) => ({ ...object, apiVersion: desiredAPIVersion }));
        const { apiVersion, kind } = review;
        const result = { status: 'Success' };
        return response.end(JSON.stringify({ apiVersion, kind, response: { uid, convertedObjects, result } }));
      });
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}/convert`,
    caBundle: Buffer.from(pki.read('ca.crt')).toString('base64'),
    async stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
