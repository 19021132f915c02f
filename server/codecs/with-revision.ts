const MARK = Buffer.from('"resourceVersion":"');

/**
 * A served body with another resourceVersion: what a DELETED event shows. The first occurrence is the object's own,
 * since metadata comes first and the fields before it cannot hold this text unescaped.
 */
export function withRevision(body: Buffer, revision: number): Buffer {
  const at = body.indexOf(MARK);
  if (at < 0) return body;
  const start = at + MARK.length;
  const end = body.indexOf(0x22, start);
  return Buffer.concat([body.subarray(0, start), Buffer.from(String(revision)), body.subarray(end)]);
}
