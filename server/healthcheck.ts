#!/usr/bin/env node
import https from 'node:https';

// For health checks of containers and service managers that have no other client at hand. It asks the server on this
// machine and ends with status 0 when that is ready:
//   node healthcheck.js [URL]
// The default is HEALTHCHECK_URL, or https://127.0.0.1:6443/readyz. The answer is no secret and the request holds
// none, so the program does not verify the server's certificate, which may be for another address.

const url = process.argv[2] ?? process.env['HEALTHCHECK_URL'] ?? 'https://127.0.0.1:6443/readyz';

const request = https.get(url, { rejectUnauthorized: false, timeout: 4_000 }, (response) => {
  response.setEncoding('utf8');
  let body = '';
  response.on('data', (chunk: string) => {
    body += chunk;
  });
  response.on('end', () => {
    process.stdout.write(body);
    process.exit(response.statusCode === 200 ? 0 : 1);
  });
});
request.on('timeout', () => request.destroy(new Error('no answer within 4 s')));
request.on('error', (error) => {
  process.stderr.write(`${url}: ${error.message}\n`);
  process.exit(1);
});
