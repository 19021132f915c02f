import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import { RequestStages } from '#program/tracing/request-stages.ts';
import type { AuditRecord } from '../../api/audit-record.ts';
import type { RequestContext } from '../../api/request-context.ts';
import { requestInfo } from '../../api/request-info.ts';
import { Audit } from './audit.ts';
import type { AuditEvent } from './audit-event.ts';
import { AuditMetrics } from './audit-metrics.ts';
import type { AuditLevel } from './policy.ts';
import { AuditPolicy, type AuditStage } from './policy.ts';

const naming = createNaming('orch');
const patch = naming.key('patch.webhook.admission/round_0_index_0');
const mutation = naming.key('mutation.webhook.admission/round_0_index_0');

interface Asked {
  readonly method?: string;
  readonly url?: string;
  /** The target of the request line, if it differs from `url`. */
  readonly sent?: string;
  readonly headers?: Record<string, string>;
  readonly level?: AuditLevel;
  readonly omitStages?: AuditStage[];
  readonly refused?: boolean;
}

/** The events of a request that passes through some steps. */
function eventsOf(asked: Asked, steps: (record: AuditRecord, context: RequestContext) => void): AuditEvent[] {
  const { method = 'GET', url = '/api/v1/namespaces/a/pods/p', headers = {}, level = 'Metadata' } = asked;
  const [path = '', query] = url.split('?');
  const params = new URLSearchParams(query);
  const context = {
    info: requestInfo(method, path, params),
    id: 'id',
    query: params,
    receivedAt: Date.now(),
    header: (name: string) => headers[name],
    peerCertificates: () => [],
    remoteAddress: '127.0.0.1',
    raw: () => ({ request: { url: asked.sent ?? url } }),
    user: asked.refused === true ? undefined : { name: 'jane', uid: '', groups: [], extra: {} },
    annotations: new Map<string, string>(),
    stages: new RequestStages(),
  } as unknown as RequestContext;
  const rule = { users: [], userGroups: [], verbs: [], resources: [], namespaces: [], nonResourceURLs: [] };
  const omitStages = new Set(asked.omitStages ?? []);
  const policy = new AuditPolicy([{ ...rule, level, omitStages, omitManagedFields: false }]);
  const events: AuditEvent[] = [];
  const backend = { process: ({ event }: { event: AuditEvent }) => events.push(event) > 0, stop: async () => {} };
  const audit = new Audit(policy, [backend], new AuditMetrics(), naming, async () => {});
  const record = asked.refused === true ? audit.beginRefused(context) : audit.begin(context);
  if (record !== undefined) steps(record, context);
  return events;
}

const answered = (code: number) => (record: AuditRecord) => {
  void record.received();
  void record.answering(code);
  void record.completed();
};

describe('the audit events of a request', () => {
  const stages: [what: string, asked: Asked, steps: Parameters<typeof eventsOf>[1], stages: [AuditStage, number?][]][] =
    [
      ['a get', {}, answered(200), [['RequestReceived'], ['ResponseComplete', 200]]],
      [
        'a watch',
        { url: '/api/v1/pods?watch=1' },
        answered(200),
        [['RequestReceived'], ['ResponseStarted', 200], ['ResponseComplete', 200]],
      ],
      [
        'a refused request for a log',
        { url: '/api/v1/namespaces/a/pods/p/log' },
        answered(403),
        [['RequestReceived'], ['ResponseStarted', 403], ['ResponseComplete', 403]],
      ],
      [
        'a profile of the process',
        { url: '/debug/pprof/profile' },
        answered(200),
        [['RequestReceived'], ['ResponseStarted', 200], ['ResponseComplete', 200]],
      ],
      ['a request at level None', { level: 'None' }, answered(200), []],
      [
        'a request whose first stage is omitted',
        { omitStages: ['RequestReceived'] },
        answered(200),
        [['ResponseComplete', 200]],
      ],
      [
        'a panic of the server',
        {},
        (record) => {
          void record.received();
          record.panicked();
          void record.answering(500);
          void record.completed();
        },
        [['RequestReceived'], ['Panic', 500]],
      ],
      [
        'a request that is answered twice',
        {},
        (record) => {
          answered(200)(record);
          void record.answering(500);
          void record.completed();
        },
        [['RequestReceived'], ['ResponseComplete', 200]],
      ],
      [
        'a request without an answer',
        {},
        (record) => {
          void record.received();
          void record.completed();
        },
        [['RequestReceived'], ['ResponseComplete', 200]],
      ],
      [
        'bad credentials',
        { refused: true },
        (record) => {
          void record.answering(401);
          void record.completed();
        },
        [['ResponseStarted', 401]],
      ],
    ];
  for (const [what, asked, steps, expected] of stages)
    it(`have the right stages for ${what}`, () => {
      const found = eventsOf(asked, steps).map(({ stage, responseStatus }) =>
        responseStatus === undefined ? [stage] : [stage, responseStatus.code],
      );
      assert.deepEqual(found, expected);
    });

  const bodies: [level: AuditLevel, request: boolean, response: boolean][] = [
    ['Metadata', false, false],
    ['Request', true, false],
    ['RequestResponse', true, true],
  ];
  for (const [level, request, response] of bodies)
    it(`contain the bodies that level ${level} requires, as they were at that time`, () => {
      const body = { metadata: { name: 'new', uid: 'u', resourceVersion: '7' }, data: { a: 'b' } };
      const url = '/api/v1/namespaces/a/secrets';
      const [event] = eventsOf({ level, url, method: 'POST' }, (record, { annotations }) => {
        record.request(body);
        body.data.a = 'changed';
        annotations.set(patch, '[]').set(mutation, '{}');
        if (record.keepsResponse) record.response('{"x":1}');
        void record.answering(201);
        void record.completed();
      });
      const { name, uid, resourceVersion } = event!.objectRef!;
      assert.deepEqual([name, uid, resourceVersion], ['new', 'u', '7']);
      assert.equal(event!.requestObject !== undefined, request);
      if (request) assert.match(event!.requestObject!, /"data":\{"a":"b"\}/);
      assert.equal(event!.responseObject, response ? '{"x":1}' : undefined);
      assert.deepEqual(Object.keys(event!.annotations!), request ? [mutation, patch] : [mutation]);
    });

  const heads: [what: string, asked: Asked, expected: Partial<AuditEvent>][] = [
    ['a path', { url: '/healthz?verbose' }, { verb: 'get', requestURI: '/healthz?verbose', objectRef: undefined! }],
    [
      'a subresource',
      { url: '/apis/apps/v1/namespaces/a/deployments/d/scale', method: 'PATCH' },
      {
        verb: 'patch',
        objectRef: {
          resource: 'deployments',
          namespace: 'a',
          name: 'd',
          apiGroup: 'apps',
          apiVersion: 'v1',
          subresource: 'scale',
        },
      },
    ],
    [
      'a list with a selector of one name',
      { url: '/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Dp' },
      { verb: 'list', objectRef: { resource: 'pods', namespace: 'a', name: 'p', apiVersion: 'v1' } },
    ],
    [
      'an escaped path',
      { url: '/api/v1/namespaces/a/configmaps/%C3%A9?pretty' },
      {
        requestURI: '/api/v1/namespaces/a/configmaps/%C3%A9?pretty',
        objectRef: { resource: 'configmaps', namespace: 'a', name: 'é', apiVersion: 'v1' },
      },
    ],
    [
      'a token in the query',
      { url: '/api?a=1&access_token=abc.def&b=2' },
      { requestURI: '/api?a=1&access_token=REDACTED&b=2' },
    ],
    [
      'a password in an absolute URL',
      { url: '/api?a=1', sent: 'https://jane:secret@host/api?a=1' },
      { requestURI: '/api?a=1' },
    ],
    [
      'a long user agent',
      { headers: { 'user-agent': 'x'.repeat(2000) } },
      { userAgent: `${'x'.repeat(1024)}...TRUNCATED` },
    ],
  ];
  for (const [what, asked, expected] of heads)
    it(`have the right fields for ${what}`, () => {
      const [event] = eventsOf(asked, answered(200));
      for (const [field, value] of Object.entries(expected))
        assert.deepEqual(event![field as keyof AuditEvent], value, field);
    });

  const tries: [headers: Record<string, string>, url: string, message: string][] = [
    [{}, '/api', 'no credentials provided'],
    [{ authorization: 'Bearer abc' }, '/api', 'attempted: bearer'],
    [{ authorization: 'Bearer' }, '/api', 'no credentials provided'],
    [{ authorization: 'basic dTpw' }, '/api', 'attempted: basic'],
    [{ authorization: 'Bearer abc' }, '/api?access_token=x', 'attempted: bearer, access_token'],
  ];
  for (const [headers, url, message] of tries)
    it(`record a failed authentication: ${message}`, () => {
      const [event] = eventsOf({ refused: true, headers, url }, (record) => {
        record.status({ status: 'Failure', reason: 'Unauthorized', message: 'Unauthorized' });
        void record.answering(401);
      });
      assert.equal(event?.responseStatus?.message, `Authentication failed, ${message}`);
      assert.deepEqual(event.user, {});
    });
});
