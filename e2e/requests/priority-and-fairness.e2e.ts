import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { startBootstrappedEtcd } from '#server/testing/bootstrapped-etcd.ts';
import { startReplica, type TestReplica, testNaming, testPki } from '#server/testing/replica.ts';
import type { EtcdProcess } from '#storage-etcd/testing/etcd-process.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const FLOW = `/apis/${testNaming.group('flowcontrol.apiserver')}/v1beta2`;
const RBAC = testNaming.group('rbac.authorization');
const [SCHEMA, LEVEL] = ['PF-FlowSchema-UID', 'PF-PriorityLevel-UID'].map((name) =>
  testNaming.header(name).toLowerCase(),
);
const DUMPS = '/debug/api_priority_and_fairness';

describe('priority and fairness', function () {
  this.timeout(120_000);
  const [ca, cert, key] = ['ca.crt', 'admin.crt', 'admin.key'].map((name) => testPki().read(name));
  const admin = { ca, cert, key, servername: 'localhost', ALPNProtocols: ['http/1.1'] };
  let etcd: EtcdProcess;
  let replica: TestReplica;

  const start = async (...flags: string[]) => {
    replica = await startReplica(
      etcd.endpoint,
      '--max-requests-inflight=8',
      '--max-mutating-requests-inflight=4',
      ...flags,
    );
  };
  const as = (user: string, method: string, path: string) =>
    replica.call(method, path, { headers: { 'Impersonate-User': user } });

  before(async () => {
    etcd = await startBootstrappedEtcd();
    await start();
    await replica.call('POST', `/apis/${RBAC}/v1/clusterrolebindings`, {
      body: {
        metadata: { name: 'everybody' },
        roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ apiGroup: RBAC, kind: 'Group', name: 'system:authenticated' }],
      },
    });
    const names = Array.from({ length: 50 }, (_, i) => `map-${i}`);
    const body = (name: string) => ({ metadata: { name }, data: { text: 'x'.repeat(5_000) } });
    await Promise.all(names.map((name) => replica.call('POST', MAPS, { body: body(name) })));
    await replica.stop();
  });

  after(() => etcd.stop());

  afterEach(() => replica.stop());

  /**
   * The statuses for a user who sends this many requests, or until one is refused, while another user sends thirty
   * lists at a time.
   */
  const fareBesideFlood = async (times: number): Promise<number[]> => {
    let stop = false;
    let lists = 0;
    const flood = Array.from({ length: 30 }, async () => {
      while (!stop) {
        await replica.bytes(`${MAPS}?resourceVersion=0`, { 'Impersonate-User': 'flood' });
        lists++;
      }
    });
    while (lists < 30) await sleep(5);
    const seen: number[] = [];
    while (seen.length < times && !seen.includes(429)) seen.push((await as('polite', 'GET', `${MAPS}/map-1`)).status);
    stop = true;
    await Promise.all(flood);
    return seen;
  };

  it('serves a normal client while another client floods the server', async () => {
    await start();
    assert.deepEqual(new Set(await fareBesideFlood(10)), new Set([200]));
    const { text } = await replica.call('GET', '/metrics');
    const counted =
      /apiserver_flowcontrol_dispatched_requests_total\{flow_schema="global-default",priority_level="global-default"\} (\d+)/;
    assert.ok(Number(counted.exec(text)?.[1]) >= 40, text.match(/.*dispatched.*/g)?.join('\n'));
  });

  it('is necessary: without it the normal client gets 429', async () => {
    await start('--enable-priority-and-fairness=false');
    // If this never happens, mocha's time limit ends the test.
    assert.ok((await fareBesideFlood(Number.POSITIVE_INFINITY)).includes(429));
    const { headers } = await as('polite', 'GET', MAPS);
    assert.equal(headers[SCHEMA!], undefined);
    assert.equal((await replica.call('GET', `${DUMPS}/dump_queues`)).status, 404);
  });

  it('serves a normal client while another client never sends its request bodies', async () => {
    await start();
    const slow = Array.from({ length: 60 }, () => connect({ host: '127.0.0.1', port: replica.port, ...admin }));
    for (const socket of slow) {
      socket.on('error', () => {});
      await once(socket, 'secureConnect');
      const head = `POST ${MAPS} HTTP/1.1\r\nHost: a\r\nImpersonate-User: slow\r\nContent-Type: application/json\r\n`;
      socket.write(`${head}Content-Length: 10\r\n\r\n{`);
    }
    const seen: number[] = [];
    for (let i = 0; i < 5; i++) seen.push((await as('polite', 'GET', `${MAPS}/map-1`)).status);
    assert.deepEqual(seen, Array(5).fill(200));
    for (const socket of slow) socket.destroy();
  });

  it('names the flow schema and the priority level in each response, and follows their changes', async () => {
    await start();
    const uidOf = async (path: string) => (await replica.call('GET', `${FLOW}/${path}`)).json.metadata.uid;
    const belongs = async (
      schema: string,
      level: string,
      answer: Promise<{ headers: NodeJS.Dict<string | string[]> }>,
    ) => {
      const { headers } = await answer;
      const wanted = [await uidOf(`flowschemas/${schema}`), await uidOf(`prioritylevelconfigurations/${level}`)];
      assert.deepEqual([headers[SCHEMA!], headers[LEVEL!]], wanted, schema);
    };
    await belongs('exempt', 'exempt', replica.call('GET', '/version'));
    await belongs('global-default', 'global-default', as('somebody', 'GET', MAPS));
    await belongs('service-accounts', 'workload-low', as('system:serviceaccount:default:a', 'GET', MAPS));

    const level = {
      metadata: { name: 'tight' },
      spec: { type: 'Limited', limited: { assuredConcurrencyShares: 1, limitResponse: { type: 'Reject' } } },
    };
    const schema = {
      metadata: { name: 'held' },
      spec: {
        priorityLevelConfiguration: { name: 'tight' },
        matchingPrecedence: 50,
        distinguisherMethod: { type: 'ByUser' },
        rules: [
          {
            subjects: [{ kind: 'User', user: { name: 'held' } }],
            resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }],
          },
        ],
      },
    };
    // While its level does not exist, the schema matches no request.
    assert.equal((await replica.call('POST', `${FLOW}/flowschemas`, { body: schema })).status, 201);
    await belongs('global-default', 'global-default', as('held', 'GET', MAPS));
    assert.equal((await replica.call('POST', `${FLOW}/prioritylevelconfigurations`, { body: level })).status, 201);
    await belongs('held', 'tight', as('held', 'GET', MAPS));
    const answers = await Promise.all(Array.from({ length: 40 }, () => as('held', 'GET', `${MAPS}/map-1`)));
    const refused = answers.find(({ status }) => status === 429);
    assert.equal(refused?.headers['retry-after'], '1');
    assert.equal(refused?.json.reason, 'TooManyRequests');
    assert.ok(answers.some(({ status }) => status === 200));
    const { text } = await replica.call('GET', '/metrics');
    assert.match(
      text,
      /rejected_requests_total\{flow_schema="held",priority_level="tight",reason="concurrency-limit"\} [1-9]/,
    );
    assert.match(text, /apiserver_flowcontrol_latest_s\{priority_level="tight"\} \d/);
    assert.match(text, /apiserver_current_inqueue_requests\{request_kind="readOnly"\} \d/);
    assert.equal((await replica.call('DELETE', `${FLOW}/prioritylevelconfigurations/tight`)).status, 200);
    await belongs('global-default', 'global-default', as('held', 'GET', MAPS));
  });

  it('shows its queues to authorized users', async () => {
    await start();
    const dump = async (what: string) => (await replica.call('GET', `${DUMPS}/${what}`)).text.split('\n');
    const levels = await dump('dump_priority_levels');
    assert.equal(levels[0], 'PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests');
    assert.ok(
      levels.includes('catch-all,         0,            true,   false,       0,               0'),
      levels.join('\n'),
    );
    assert.ok(levels.includes('exempt,            <none>,       <none>, <none>,      <none>,          <none>'));
    assert.equal((await dump('dump_queues')).filter((line) => line.startsWith('node-high,')).length, 64);
    assert.match(
      (await dump('dump_requests?includeRequestDetails=1'))[0]!,
      /AdditionalLatency, UserName, Verb, {3}APIPath/,
    );
    assert.equal((await replica.call('GET', `${DUMPS}/nothing`)).status, 404);
  });
});
