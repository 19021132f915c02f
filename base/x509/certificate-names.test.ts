import assert from 'node:assert/strict';
import { whyNotFor } from './certificate-names.ts';

describe('whyNotFor', () => {
  const table: [host: string, names: string, why: string][] = [
    ['c.svc', 'DNS:a, IP Address:10.0.0.1, DNS:b', 'certificate is valid for a, b, not c.svc'],
    ['c.svc.', 'DNS:a', 'certificate is valid for a, not c.svc'],
    ['c.svc', 'IP Address:10.0.0.1', 'certificate is not valid for any names, but wanted to match c.svc'],
    ['10.0.0.2', 'IP Address:10.0.0.1, DNS:a', 'certificate is valid for 10.0.0.1, not 10.0.0.2'],
    ['::1', 'DNS:a', "cannot validate certificate for ::1 because it doesn't contain any IP SANs"],
  ];
  for (const [host, names, why] of table) it(`${host} with ${names}`, () => assert.equal(whyNotFor(host, names), why));
});
