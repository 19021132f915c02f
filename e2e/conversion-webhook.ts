import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '#base/json/json-value.ts';
import type { Pki } from '#scripts/pki.ts';

/** A webhook that converts objects of custom kinds. */
export interface ConversionWebhook {
  readonly url: string;
  /** The authority that clients must trust for it, in base64. */
  readonly caBundle: string;
  stop(): Promise<void>;
}

/** Wrong answers that a webhook may give, in rotation. */
const DEFECTS: readonly ((review: JsonObject) => string)[] = [
  () => '',
  () => 'not JSON',
  () => '{}',
  () => '[]',
  (review) => JSON.stringify({ ...review, response: { uid: 'other', result: { status: 'Success' } } }),
  (review) => JSON.stringify({ ...review, response: { result: { status: 'Failure', message: 'no' } } }),
  (review) => JSON.stringify({ ...review, response: { convertedObjects: [null, 1], result: { status: 'Success' } } }),
];

export interface ConversionOptions {
  /** Changes an object, in addition to its new apiVersion. */
  readonly convert?: (object: JsonObject, to: string) => JsonObject;
  /** The number of answers of which one is wrong. 0 means none. */
  readonly oddOf?: number;
}

/** Starts a webhook. It uses the authorities and certificates of a PKI folder. */
export async function startConversionWebhook(
  pki: Pki,
  { convert = (object) => object, oddOf = 0 }: ConversionOptions = {},
): Promise<ConversionWebhook> {
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
        const convertedObjects = objects.map((object: JsonObject) => ({
          ...convert(object, desiredAPIVersion),
          apiVersion: desiredAPIVersion,
        }));
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
