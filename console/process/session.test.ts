import assert from 'node:assert/strict';
import { IDLE_MS, Session } from './session.ts';

describe('the session of a console', () => {
  it('exchanges its secret once for an HttpOnly, SameSite cookie', () => {
    const session = new Session(4000);
    const { secret } = session;
    assert.equal(session.exchange('wrong'), undefined);
    assert.equal(session.exchange(undefined), undefined);
    const cookie = session.exchange(secret);
    assert.match(cookie ?? '', /^orch-console-4000=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
    assert.equal(session.exchange(secret), undefined);
    const [pair = ''] = cookie!.split(';');
    assert.equal(session.admits(`other=1; ${pair}`, true), true);
    assert.equal(session.admits(pair.replace('4000', '4001'), true), false);
    assert.equal(session.admits(`${pair}x`, true), false);
    assert.equal(session.admits(undefined, true), false);
  });

  it('refuses the secret after twenty wrong ones', () => {
    const session = new Session(4000);
    const { secret } = session;
    for (let i = 0; i < 20; i++) session.exchange(`wrong${i}`);
    assert.equal(session.exchange(secret), undefined);
  });

  it('expires an hour after its last use', () => {
    let now = 0;
    const session = new Session(4000, () => now);
    const [pair] = session.exchange(session.secret)!.split(';');
    now = IDLE_MS - 1;
    assert.equal(session.admits(pair, true), true);
    assert.equal(session.leftMs, IDLE_MS);
    now += 1;
    assert.equal(session.admits(pair, false), true);
    assert.equal(session.leftMs, IDLE_MS - 1);
    now += IDLE_MS - 1;
    assert.equal(session.leftMs, 0);
  });
});
