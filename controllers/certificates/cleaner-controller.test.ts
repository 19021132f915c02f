import assert from 'node:assert/strict';
import { makeCertificate } from '#base/x509/make-certificate.ts';
import { makeRequest } from '#base/x509/testing/make-request.ts';
import { certificatesV1 } from '#client/generated/resources.ts';
import { FakeServer } from '#client/testing/fake-server.ts';
import { waitUntil } from '#client/testing/wait-until.ts';
import { aroundManager } from '../testing/around-manager.ts';
import { startController } from '../testing/start-controller.ts';
import { cleanerController } from './cleaner-controller.ts';
import { NODE_REQUEST, requestObject } from './testing/request-object.ts';

const REQUESTS = certificatesV1.certificatesigningrequests;
const MINUTE = 60_000;

describe('certificate request cleaner controller', () => {
  it('deletes requests decided an hour ago, pending for a day, or with an expired certificate', async () => {
    const now = Date.parse('2026-05-05T12:00:00Z');
    const server = new FakeServer([REQUESTS], { strict: true });
    const add = (name: string, conditions: string[], minutesAgo: number, certificate?: string) => {
      const at = new Date(now - minutesAgo * MINUTE).toISOString();
      const made = requestObject(name, 'example.com/a', NODE_REQUEST, { conditions, at });
      server.put(REQUESTS, certificate === undefined ? made : { ...made, status: { ...made.status!, certificate } });
    };
    const ended = (days: number) => {
      const to = (now - Date.now()) / 86_400_000 + days;
      const made = makeCertificate({ subject: [], from: to - 30, to });
      return Buffer.from(made.pem).toString('base64');
    };
    add('approved-old', ['Approved'], 61);
    add('approved-new', ['Approved'], 59);
    add('denied-old', ['Denied'], 61);
    add('denied-new', ['Denied'], 59);
    add('failed-old', ['Approved', 'Failed'], 61);
    add('pending-old', [], 24 * 60 + 1);
    add('pending-new', [], 24 * 60 - 1);
    add('issued-ended', ['Approved'], 1, ended(-1));
    add('issued-good', ['Approved'], 1, ended(1));
    const controller = await startController(cleanerController, server, { now: () => now });
    await waitUntil('the old ones are gone', () => server.writes.length === 5);
    await controller.stop();
    assert.deepEqual(
      server
        .all(REQUESTS)
        .map(({ metadata }) => metadata.name)
        .sort(),
      ['approved-new', 'denied-new', 'issued-good', 'pending-new'],
    );
  });
});

describe('certificate request cleaner controller, with an API server', () => {
  const running = aroundManager([cleanerController], '--use-service-account-credentials');

  it('deletes a request that was decided long ago', async () => {
    const requests = running.client.resource(REQUESTS);
    const signerName = 'example.com/mine';
    const spec = { request: makeRequest(NODE_REQUEST), signerName, usages: ['client auth'] };
    for (const name of ['kept', 'old']) await requests.create({ metadata: { name }, spec });
    const condition = { type: 'Denied', status: 'True', reason: 'No', lastUpdateTime: '2020-01-01T00:00:00Z' };
    await requests.patch('old', 'merge', { status: { conditions: [condition] } }, { subresource: 'approval' });
    const exists = (name: string) =>
      requests.get(name).then(
        () => true,
        () => false,
      );
    await waitUntil('it is gone', async () => !(await exists('old')));
    assert.ok(await exists('kept'));
  });
});
