// An admission webhook. It refuses config maps without the label `owner`, and warns about large ones.
//
//   node admission-webhook.ts CERTIFICATE KEY PORT
//
// `examples/admission-webhook.yaml` makes the server call it.
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import type { AdmissionV1, CoreV1 } from '@orch/client/kinds';

const MOST_BYTES = 10_000;

/**
 * The answer of the webhook to one request. It depends only on the request, so several copies of the webhook may run.
 */
function decide({ uid, object, operation }: AdmissionV1.AdmissionRequest): AdmissionV1.AdmissionResponse {
  if (operation === 'DELETE') return { uid, allowed: true };
  const map = object as unknown as CoreV1.ConfigMap;
  if (!map.metadata.labels?.['owner']) {
    const message = 'a config map must have the label owner: who looks after it';
    return { uid, allowed: false, status: { code: 403, reason: 'Forbidden', message, metadata: {} } };
  }
  const size = Object.values(map.data ?? {}).reduce((sum, value) => sum + value.length, 0);
  return {
    uid,
    allowed: true,
    ...(size > MOST_BYTES && { warnings: [`${size} characters are much for a config map`] }),
  };
}

const [, , cert, key, port] = process.argv;
const tls = { cert: readFileSync(cert!), key: readFileSync(key!) };
const server = https.createServer(tls, async (request, response) => {
  try {
    const { request: asked, ...review } = JSON.parse(await text(request)) as AdmissionV1.AdmissionReview;
    if (asked === undefined) throw new Error('a review has a request');
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ...review, response: decide(asked) }));
  } catch (error) {
    response.writeHead(400).end(String(error));
  }
});
server.listen(Number(port), '127.0.0.1', () => console.log('ready'));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => server.close());
