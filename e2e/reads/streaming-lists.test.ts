import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import https from 'node:https';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { startReplica, type TestAnswer, type TestReplica, testNaming, testPki } from '#server/testing/replica.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const END = testNaming.key('initial-events-end');

describe('streaming lists (sendInitialEvents)', function () {
  this.timeout(60_000);
  const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => testPki().read(name)) as [
    string,
    string,
    string,
  ];
  const names = Array.from({ length: 600 }, (_, i) => `map-${String(i).padStart(3, '0')}`);
  let etcd: EtcdProcess;
  let replica: TestReplica;

  before(async () => {
    etcd = await startBootstrappedEtcd();
    replica = await startReplica(etcd.endpoint, '--feature-gates=WatchList=true');
    const body = (name: string) => ({
      metadata: { name, labels: { last: name.at(-1) } },
      data: { text: 'x'.repeat(999) },
    });
    await Promise.all(names.map((name) => replica.call('POST', MAPS, { body: body(name) })));
  });

  after(async () => {
    await replica.stop();
    await etcd.stop();
  });

  interface Event {
    readonly type: string;
    // biome-ignore lint/suspicious/noExplicitAny: an event may have any kind
    readonly object: any;
  }

  /**
   * The first `count` events of a watch, in the requested form, or the Status of a refusal. Calls `begun` after the
   * first event.
   */
  const watch = async (
    query: string,
    count: number,
    accept = 'application/json',
    begun: () => unknown = () => {},
  ): Promise<Event[]> => {
    const place = { host: '127.0.0.1', port: replica.port, ca, cert, key, servername: 'localhost', agent: false };
    const request = https.get({ ...place, path: `${MAPS}?watch=1&${query}`, headers: { accept } });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const lines: string[] = [];
    let rest = '';
    for await (const chunk of response.setEncoding('utf8')) {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop()!;
      if (lines.length === 0 && parts.length > 0) begun();
      lines.push(...parts);
      if (lines.length >= count || response.statusCode !== 200) break;
    }
    request.destroy();
    if (response.statusCode !== 200)
      return [{ type: String(response.statusCode), object: JSON.parse(rest || lines[0]!) }];
    return lines.map((line) => JSON.parse(line) as Event);
  };
  const shown = (events: readonly Event[]) =>
    events.map(({ type, object }) => `${type} ${object.metadata?.name ?? ''}`);

  for (const [what, version] of [
    ['most recent', ''],
    ['of any version', '&resourceVersion=0'],
    ['not older than a version', '&resourceVersion=LISTED'],
  ] as const)
    it(`send the existing objects (${what}), then a bookmark, then changes`, async () => {
      const { json } = await replica.call('GET', `${MAPS}?limit=1`);
      const asked = version.replace('LISTED', json.metadata.resourceVersion);
      const query = `sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true${asked}`;
      const patch = { headers: { 'Content-Type': 'application/merge-patch+json' }, body: { data: { n: what } } };
      let patched: Promise<TestAnswer> | undefined;
      const events = await watch(query, names.length + 2, undefined, () => {
        patched = replica.call('PATCH', `${MAPS}/map-000`, patch);
      });
      assert.equal((await patched)?.status, 200);
      assert.deepEqual(
        shown(events.slice(0, names.length)),
        names.map((name) => `ADDED ${name}`),
      );
      const [end, change] = events.slice(names.length);
      assert.deepEqual(
        [end!.type, end!.object.kind, end!.object.metadata.annotations],
        ['BOOKMARK', 'ConfigMap', { [END]: 'true' }],
      );
      assert.ok(Number(end!.object.metadata.resourceVersion) >= Number(json.metadata.resourceVersion));
      assert.equal(`${change!.type} ${change!.object.metadata.name}`, 'MODIFIED map-000');
    });

  const ALL = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
  const FRAMES = `application/json;as=PartialObjectMetadata;g=${testNaming.group('meta')};v=v1`;
  for (const [what, query, count, expected, accept] of [
    [
      'selects',
      `${ALL}&allowWatchBookmarks=true&fieldSelector=metadata.name%3Dmap-007`,
      2,
      ['ADDED map-007', 'BOOKMARK '],
      undefined,
    ],
    [
      'asks for metadata',
      `${ALL}&allowWatchBookmarks=true&fieldSelector=metadata.name%3Dmap-007`,
      2,
      ['ADDED map-007', 'BOOKMARK '],
      FRAMES,
    ],
    ['selects nothing', `${ALL}&allowWatchBookmarks=true&labelSelector=none`, 1, ['BOOKMARK '], undefined],
  ] as const)
    it(`end with a bookmark if the watch ${what}`, async () => {
      const events = await watch(query, count, accept);
      assert.deepEqual(shown(events), expected);
      assert.deepEqual(events.at(-1)!.object.metadata.annotations, { [END]: 'true' });
    });

  it('send no bookmark unless requested, and no objects with sendInitialEvents=false', async () => {
    for (const [query, first] of [
      [`${ALL}&labelSelector=last%3D7`, 'ADDED'],
      ['sendInitialEvents=false&resourceVersionMatch=NotOlderThan&labelSelector=last%3D7', 'MODIFIED'],
    ] as const) {
      const matching = first === 'ADDED' ? 60 : 0;
      const watching = watch(query, matching + 1);
      await new Promise((resolve) => setTimeout(resolve, 300));
      const patch = { headers: { 'Content-Type': 'application/merge-patch+json' }, body: { data: { n: query } } };
      await replica.call('PATCH', `${MAPS}/map-007`, patch);
      const types = (await watching).map(({ type }) => type);
      assert.deepEqual(types, [...Array(matching).fill('ADDED'), 'MODIFIED']);
    }
  });

  const NEEDS =
    'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan';
  const NO_LIST = 'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list';
  const unsupported = (match: string) =>
    `resourceVersionMatch: Unsupported value: "${match}": supported values: "NotOlderThan"`;
  for (const [query, ...complaints] of [
    ['watch=1&sendInitialEvents=true', NEEDS],
    ['watch=1&sendInitialEvents=false', NEEDS],
    ['watch=1&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=5', NEEDS, unsupported('Exact')],
    ['watch=1&sendInitialEvents=true&resourceVersionMatch=Nope', NEEDS, unsupported('Nope')],
    [
      'watch=1&resourceVersionMatch=NotOlderThan&resourceVersion=1',
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    ],
    [
      `watch=1&${ALL}&continue=x`,
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided',
    ],
    ['sendInitialEvents=false', NO_LIST],
    [
      ALL,
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
      NO_LIST,
    ],
  ] as const)
    it(`refuse ${query} and name the conflicting parameters`, async () => {
      const { status, text } = await replica.call('GET', `${MAPS}?${query}`);
      const all = complaints.length === 1 ? complaints[0] : `[${complaints.join(', ')}]`;
      assert.deepEqual([status, JSON.parse(text).message.replace(/^.*? is invalid: /, '')], [422, all]);
    });
});
