import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createSecureServer } from 'node:http2';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createNaming } from '#base/naming/create-naming.ts';
import { makePki } from '#scripts/pki.ts';

/** A program that sends a request with HTTP/1.1 and prints the answer. */
const PROGRAM = `
import https from 'node:https';
import { readFileSync } from 'node:fs';
const [port, ca] = process.argv.slice(2);
const agent = new https.Agent({ keepAlive: true, ca: readFileSync(ca), servername: 'localhost' });
const headers = { 'X-Padded': '  a  ', Connection: 'keep-alive', 'Content-Length': 4 };
const request = https.request({ host: '127.0.0.1', port, path: '/b?c', method: 'PUT', headers, agent }, (response) => {
  let text = '';
  response.on('data', (chunk) => (text += chunk));
  response.on('end', () => console.log(JSON.stringify([response.statusCode, response.rawHeaders.filter((_, i, all) => all[i - (i % 2)] === 'warning'), text])));
});
request.setTimeout(5000, () => request.destroy(new Error('late')));
request.on('error', (error) => console.log(String(error)));
request.write('body');
request.end();
`;

describe('speak-http2', function () {
  this.timeout(30_000);
  const folder = mkdtempSync(path.join(tmpdir(), 'speak-http2-'));
  const pki = makePki(folder, createNaming('orch'));

  after(() => rmSync(folder, { recursive: true }));

  for (const [what, name, told] of [
    [
      'sends the same request and gets the same answer',
      'program.mjs',
      '[201,["warning","one","warning","two"],"PUT /b?c a body"]',
    ],
    ['affects only the named program', 'other.mjs', /HPE_INVALID|Parse Error|ECONNRESET|hang up|HTTP/],
  ] as const)
    it(what, async () => {
      const tls = { key: pki.read('server.key'), cert: pki.read('server.crt') };
      const server = createSecureServer({ ...tls, allowHTTP1: false }, async (request, response) => {
        let body = '';
        for await (const chunk of request) body += chunk;
        response.setHeader('warning', ['one', 'two']);
        response.statusCode = 201;
        response.end(`${request.method} ${request.url} ${request.headers['x-padded']} ${body}`);
      }).listen(0, '127.0.0.1');
      server.on('sessionError', () => {}).on('unknownProtocol', (socket) => socket.destroy());
      await once(server, 'listening');
      const file = path.join(folder, name);
      writeFileSync(file, PROGRAM);
      const { port } = server.address() as { port: number };
      const options = [
        `--import=${path.join(import.meta.dirname, 'speak-http2.ts')}`,
        file,
        String(port),
        pki.file('ca.crt'),
      ];
      const env = { ...process.env, SPEAK_HTTP2: 'program.mjs' };
      const child = spawn(process.execPath, options, { env, stdio: ['ignore', 'pipe', 'inherit'] });
      let output = '';
      child.stdout.on('data', (chunk) => {
        output += chunk;
      });
      await once(child, 'close');
      server.close();
      if (typeof told === 'string') assert.equal(output.trim(), told);
      else assert.match(output, told);
    });
});
