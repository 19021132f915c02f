import assert from 'node:assert/strict';
import { ownLog } from './own-log.ts';

describe('the audit log of a worker', () => {
  const cases: [given: string, own: string][] = [
    ['/var/log/audit.log', '/var/log/audit-worker2.log'],
    ['audit', 'audit-worker2'],
    ['logs/audit.json.log', 'logs/audit.json-worker2.log'],
    ['-', '-'],
  ];
  for (const [given, own] of cases) it(`${given} → ${own}`, () => assert.equal(ownLog(given, 2), own));
});
