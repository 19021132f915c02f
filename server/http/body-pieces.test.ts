import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { BodyPieces, type ConnectionPieces, type Verdict } from './body-pieces.ts';

/** Sends pieces of a body. Returns the last decision and the number of pieces before it. */
function send(pieces: BodyPieces, connection: ConnectionPieces, count: number, bytes = 1): [Verdict, number] {
  const body = new Readable({ read() {}, highWaterMark: Number.MAX_SAFE_INTEGER });
  let [last, came]: [Verdict, number] = ['fine', 0];
  pieces.watch(body, connection, (_, verdict) => {
    last = verdict;
    came++;
  });
  const piece = Buffer.alloc(bytes);
  for (let i = 0; i < count && last === 'fine'; i++) body.push(piece);
  assert.equal(body.readableLength, (last === 'fine' ? came : came - 1) * bytes, 'what comes is kept');
  return [last, came];
}

describe('BodyPieces', () => {
  it('accepts bodies in pieces as usual clients send them', () => {
    const pieces = new BodyPieces();
    for (let i = 0; i < 2_000; i++) assert.deepEqual(send(pieces, pieces.connection(), 5), ['fine', 5]);
    assert.deepEqual(send(pieces, pieces.connection(), 100_000, 512), ['fine', 100_000]);
    assert.deepEqual(send(pieces, pieces.connection(), 1_500), ['fine', 1_500]);
  });

  it('accepts large bodies if only some pieces are small', () => {
    const pieces = new BodyPieces();
    const connection = pieces.connection();
    connection.user = 'uploads';
    const sizes = [Buffer.alloc(16_000), Buffer.alloc(100)];
    for (let n = 0; n < 50; n++) {
      const body = new Readable({ read() {} });
      const verdicts = new Set<Verdict>();
      pieces.watch(body, connection, (_, verdict) => verdicts.add(verdict));
      body.resume();
      for (let i = 0; i < 1_000; i++) body.push(sizes[i % 2]);
      assert.deepEqual([...verdicts], ['fine']);
    }
  });

  it('ends a connection with too many small pieces, even if each body has only a few', () => {
    const pieces = new BodyPieces();
    const [verdict, came] = send(pieces, pieces.connection(), 1_000_000);
    assert.equal(verdict, 'end-connection');
    assert.ok(came < 10_000, String(came));
    const connection = pieces.connection();
    let bodies = 0;
    while (send(pieces, connection, 100)[0] === 'fine') assert.ok(++bodies < 1_000);
  });

  it('ends the connections of a user who sends too many small pieces over many connections', () => {
    const pieces = new BodyPieces();
    const verdicts = Array.from({ length: 10 }, () => {
      const connection = pieces.connection();
      connection.user = 'flood';
      return send(pieces, connection, 1_500)[0];
    });
    assert.ok(verdicts.includes('end-connection'), String(verdicts));
    const other = pieces.connection();
    other.user = 'polite';
    assert.deepEqual(send(pieces, other, 150), ['fine', 150]);
  });

  it('ends single bodies if all clients together send too many small pieces, but not short bodies', () => {
    const pieces = new BodyPieces();
    const verdicts = Array.from({ length: 100 }, () => send(pieces, pieces.connection(), 1_500)[0]);
    assert.ok(verdicts.includes('end-body') && !verdicts.includes('end-connection'), String(verdicts));
    assert.deepEqual(send(pieces, pieces.connection(), 150), ['fine', 150]);
  });
});
