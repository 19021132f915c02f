import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { AuditEntry, type AuditEvent, jsonLine, legacyLine } from './audit-event.ts';
import { sourceAddresses } from './source-addresses.ts';
import { TruncatingSink } from './truncating-sink.ts';
import { jsonWithoutManagedFields } from './without-managed-fields.ts';

const apiVersion = createNaming('orch').apiVersion('audit', 'v1');

const event: AuditEvent = {
  level: 'RequestResponse',
  auditID: 'id-1',
  stage: 'ResponseComplete',
  requestURI: '/api/v1/namespaces/a/pods?x="y"',
  verb: 'create',
  user: { username: 'jane', groups: ['dev', 'ops'] },
  impersonatedUser: { username: 'joe' },
  sourceIPs: ['10.0.0.1'],
  userAgent: 'agent/1',
  objectRef: { resource: 'pods', namespace: 'a' },
  responseStatus: { metadata: {}, code: 201 },
  requestObject: '{"n":12345678901234567890}',
  responseObject: '{"b":2}',
  requestReceivedTimestamp: '2026-01-02T03:04:05.000006Z',
  stageTimestamp: '2026-01-02T03:04:05.000007Z',
  annotations: { k: 'v' },
};

describe('an audit event', () => {
  it('is written as a line of JSON, in which bodies keep the digits of numbers', () => {
    assert.equal(
      jsonLine(new AuditEntry(event), apiVersion),
      `{"kind":"Event","apiVersion":"${apiVersion}","level":"RequestResponse","auditID":"id-1",` +
        '"stage":"ResponseComplete","requestURI":"/api/v1/namespaces/a/pods?x=\\"y\\"","verb":"create",' +
        '"user":{"username":"jane","groups":["dev","ops"]},"impersonatedUser":{"username":"joe"},' +
        '"sourceIPs":["10.0.0.1"],"userAgent":"agent/1","objectRef":{"resource":"pods","namespace":"a"},' +
        '"responseStatus":{"metadata":{},"code":201},"requestObject":{"n":12345678901234567890},' +
        '"responseObject":{"b":2},"requestReceivedTimestamp":"2026-01-02T03:04:05.000006Z",' +
        '"stageTimestamp":"2026-01-02T03:04:05.000007Z","annotations":{"k":"v"}}',
    );
  });

  it('is written as a line of pairs in the legacy format', () => {
    assert.equal(
      legacyLine(new AuditEntry(event)),
      '2026-01-02T03:04:05.000006Z AUDIT: id="id-1" stage="ResponseComplete" ip="10.0.0.1" method="create" ' +
        'user="jane" groups="\\"dev\\",\\"ops\\"" as="joe" asgroups="<lookup>" user-agent="agent/1" ' +
        'namespace="a" uri="/api/v1/namespaces/a/pods?x=\\"y\\"" response="201"',
    );
    const { impersonatedUser: _as, objectRef: _ref, responseStatus: _status, ...rest } = event;
    const bare = legacyLine(new AuditEntry({ ...rest, user: {}, sourceIPs: [] }));
    assert.match(bare, /ip="<unknown>".*user="<none>" groups="<none>" as="<self>" asgroups="<lookup>"/);
    assert.match(bare, /namespace="<none>".*response="<deferred>"$/);
  });

  const bodies: [given: string, kept: string][] = [
    [
      '{"metadata":{"name":"a","managedFields":[{"manager":"m"}]},"n":12345678901234567890}',
      '{"metadata":{"name":"a"},"n":12345678901234567890}',
    ],
    ['{"data":{"x":"managedFields"}}', '{"data":{"x":"managedFields"}}'],
    ['{"items":[{"metadata":{"managedFields":[]}}]}', '{"items":[{"metadata":{}}]}'],
    [
      '{"rows":[{"cells":[1],"object":{"metadata":{"managedFields":[]}}}]}',
      '{"rows":[{"cells":[1],"object":{"metadata":{}}}]}',
    ],
    ['[{"op":"remove","path":"/metadata/managedFields"}]', '[{"op":"remove","path":"/metadata/managedFields"}]'],
  ];
  for (const [given, kept] of bodies)
    it(`is written without managed fields: ${given}`, () => {
      assert.equal(jsonWithoutManagedFields(given), kept);
    });

  const sources: [headers: Record<string, string>, remote: string, addresses: string[]][] = [
    [{}, '127.0.0.1', ['127.0.0.1']],
    [{}, '::ffff:127.0.0.1', ['127.0.0.1']],
    [{}, '', []],
    [{ 'x-forwarded-for': '1.2.3.4, not-an-address,2001:DB8:0::1' }, '9.9.9.9', ['1.2.3.4', '2001:db8::1', '9.9.9.9']],
    [{ 'x-forwarded-for': '1.2.3.4', 'x-real-ip': '1.2.3.4' }, '9.9.9.9', ['1.2.3.4', '9.9.9.9']],
    [{ 'x-real-ip': '5.6.7.8' }, '5.6.7.8', ['5.6.7.8']],
  ];
  for (const [headers, remote, addresses] of sources)
    it(`has ${addresses.join(' and ') || 'nothing'} as source addresses`, () => {
      assert.deepEqual(
        sourceAddresses((name) => headers[name], remote),
        addresses,
      );
    });
});

describe('TruncatingSink', () => {
  const sized = (length: number, more: object = {}) =>
    new AuditEntry({ ...event, requestObject: JSON.stringify('x'.repeat(length)), ...more });

  const sent = async (entries: AuditEntry[], maxEventSize: number, maxBatchSize: number) => {
    const batches: AuditEntry[][] = [];
    let lost = 0;
    const sink = { send: async (batch: readonly AuditEntry[]) => void batches.push([...batch]), stop: async () => {} };
    const limits = { maxEventSize, maxBatchSize };
    const truncating = new TruncatingSink(sink, limits, 'mark', (_plugin, count) => (lost += count));
    await truncating.send(entries);
    return { batches, lost };
  };

  it('removes the bodies of large events, and marks these events', async () => {
    const { batches, lost } = await sent([sized(10), sized(2000)], 1500, 10_000);
    assert.equal(lost, 0);
    const [[small, large] = []] = batches;
    assert.equal(small?.event.annotations?.['mark'], undefined);
    assert.deepEqual(large?.event.annotations, { k: 'v', mark: 'true' });
    assert.deepEqual([large?.event.requestObject, large?.event.responseObject], [undefined, undefined]);
    assert.equal(large?.event.auditID, 'id-1');
  });

  it('drops events that are too large without bodies', async () => {
    const { batches, lost } = await sent([sized(10, { requestURI: 'x'.repeat(2000) }), sized(10)], 1500, 10_000);
    assert.deepEqual([lost, batches.map((batch) => batch.length)], [1, [1]]);
    const { lost: without } = await sent([sized(2000, { level: 'Metadata' })], 1500, 10_000);
    assert.equal(without, 1);
  });

  it('sends batches of limited size', async () => {
    const one = sized(100);
    const { batches } = await sent([one, one, one, one, one], 10_000, one.size * 2);
    assert.deepEqual(
      batches.map((batch) => batch.length),
      [2, 2, 1],
    );
  });
});
