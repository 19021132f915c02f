import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { CN, makeAuthority, makeCertificate, SERVER_AUTH } from '#base/x509/make-certificate.ts';
import { askLocally } from './component-status.ts';

const TIMEOUT_MS = 300;

/** Writes blanks until the reader has disconnected. `pauseMs` is the pause between two blanks. */
async function endless(response: ServerResponse, piece: string, pauseMs: number): Promise<void> {
  while (!response.destroyed) {
    if (!response.write(piece)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
    await sleep(pauseMs);
  }
}

describe('the health of a component', () => {
  const by = makeAuthority('component-ca');
  const certificate = makeCertificate({
    subject: [[CN, 'x']],
    by,
    hosts: ['x'],
    usages: [SERVER_AUTH],
    from: -1,
    to: 1,
  });
  const answers: readonly [
    what: string,
    answer: (response: ServerResponse) => unknown,
    healthy: boolean,
    said: RegExp,
  ][] = [
    ['is the answer of the component', (response) => response.end('ok'), true, /^ok$/],
    ['is unhealthy after an error status', (response) => response.writeHead(500).end('ill'), false, /^ill$/],
    [
      'contains only the beginning of a long answer',
      (response) => endless(response, ' '.repeat(10_000), 0),
      true,
      /^ {1024}$/,
    ],
    ['is unhealthy if there is no answer before the timeout', () => {}, false, /it does not answer/],
    [
      'is unhealthy if the answer is not complete before the timeout',
      (response) => endless(response, ' ', 50),
      false,
      /not answer/,
    ],
    ['is unhealthy if the component closes the connection', (response) => response.destroy(), false, /socket hang up/],
  ];
  let answer: (response: ServerResponse) => unknown;
  const server = https.createServer({ cert: certificate.pem, key: certificate.keyPem }, (_, response) =>
    answer(response),
  );

  before(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  after(() => {
    server.close();
    server.closeAllConnections();
  });

  for (const [what, given, healthy, said] of answers) {
    it(what, async () => {
      answer = given;
      const health = await askLocally((server.address() as AddressInfo).port, TIMEOUT_MS);
      assert.equal(health.healthy, healthy);
      assert.match(health.message, said);
    });
  }
});
