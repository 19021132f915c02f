import assert from 'node:assert/strict';
import { pino } from 'pino';
import { badRequest } from '#base/errors/status-error.ts';
import type { RequestContext } from '../api/request-context.ts';
import { RefusalLog } from './refusal-log.ts';

describe('the log of refused writes', () => {
  const now = 0;
  const written: Record<string, unknown>[] = [];
  const logOf = () => {
    written.length = 0;
    return new RefusalLog(pino({}, { write: (line) => void written.push(JSON.parse(line)) }), () => now);
  };
  const context = (method: string, name?: string) =>
    ({ info: { method }, user: name === undefined ? undefined : { name } }) as unknown as RequestContext;
  const what = (requestId: string) => ({ requestId, method: 'POST', path: '/x', code: 400 });

  it('has a line with the request ID, the user and the reason', () => {
    logOf().refused(context('POST', 'jane'), badRequest('no'), what('id'));
    const [{ level, msg, requestId, user, reason, code } = {}] = written;
    assert.deepEqual([level, msg, requestId, user, reason, code], [30, 'no', 'id', 'jane', 'BadRequest', 400]);
  });

  it('has no lines for refused reads at the default level', () => {
    const log = logOf();
    for (const method of ['GET', 'HEAD', 'OPTIONS']) log.refused(context(method, 'jane'), badRequest('no'), what('id'));
    assert.deepEqual(written, []);
  });

  it('limits the lines of one user and of all users, and counts the lines that it leaves out', () => {
    const log = logOf();
    for (let i = 0; i < 1000; i++) log.refused(context('POST', 'flood'), badRequest('no'), what(`f${i}`));
    assert.equal(written.length, 20);
    log.refused(context('PUT', 'jane'), badRequest('no'), what('jane'));
    assert.deepEqual([written.at(-1)?.['requestId'], written.at(-1)?.['leftOut']], ['jane', 980]);
    for (let i = 0; i < 1000; i++) log.refused(context('POST', `user${i}`), badRequest('no'), what(`u${i}`));
    assert.equal(written.length, 200);
  });

  it('shortens long messages', () => {
    logOf().refused(context('POST', 'jane'), badRequest('x'.repeat(10_000)), what('id'));
    assert.equal(String(written[0]?.['msg']).length, 300);
  });
});
