import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type TestAnswer, type TestReplica, testPki } from '../../testing/replica.ts';
import { ExtensionServer } from './extension-server.ts';

export const SERVICES = '/apis/apiregistration.orch.io/v1/apiservices';
const NAMESPACE = 'default';

/** The flags of a replica that calls extension servers. */
export const FRONT_PROXY: readonly string[] = [
  `--proxy-client-cert-file=${testPki().file('front-proxy.crt')}`,
  `--proxy-client-key-file=${testPki().file('front-proxy.key')}`,
];

/** Whether an APIService has a condition with this reason. */
export const hasReason = (reason: string) => (answer: TestAnswer) =>
  answer.json?.status?.conditions?.[0]?.reason === reason;

/** A registered extension server, its address, and the names of its APIService and service. */
export interface Extension {
  readonly server: ExtensionServer;
  readonly path: string;
  readonly name: string;
  readonly service: string;
}

export interface ExtensionOptions {
  /** Additional fields of the APIService's spec. */
  readonly spec?: object;
  readonly expired?: boolean;
  readonly aggregated?: string | undefined;
  readonly onlyV2?: boolean;
}

/** Extension servers behind one replica. */
export class Extensions {
  readonly #replica: TestReplica;
  readonly #servers: ExtensionServer[] = [];

  constructor(replica: TestReplica) {
    this.#replica = replica;
  }

  async until(target: string, is: (answer: TestAnswer) => boolean): Promise<TestAnswer> {
    for (;;) {
      const answer = await this.#replica.call('GET', target);
      if (is(answer)) return answer;
      await sleep(50);
    }
  }

  /** Starts a server of a new group behind a service, and registers it. Waits for its condition. */
  async start(
    reason = 'Passed',
    { spec = {}, expired = false, aggregated, onlyV2 = false }: ExtensionOptions = {},
  ): Promise<Extension> {
    const service = `ext${this.#servers.length}`;
    const group = `${service}.example.com`;
    const clientCa = testPki().read('front-ca.crt');
    const server = new ExtensionServer(group, { serverName: `${service}.${NAMESPACE}.svc`, clientCa, expired });
    server.aggregated = aggregated;
    server.onlyV2 = onlyV2;
    this.#servers.push(await server.start());
    const made = await this.#replica.call('POST', `/api/v1/namespaces/${NAMESPACE}/services`, {
      body: { metadata: { name: service }, spec: { type: 'ExternalName', externalName: 'localhost' } },
    });
    assert.equal(made.status, 201, made.text);
    const name = `v1.${group}`;
    const registered = await this.#replica.call('POST', SERVICES, {
      body: {
        metadata: { name },
        spec: {
          group,
          version: 'v1',
          groupPriorityMinimum: 1000,
          versionPriority: 15,
          caBundle: Buffer.from(server.authority.pem).toString('base64'),
          service: { namespace: NAMESPACE, name: service, port: server.port },
          ...spec,
        },
      },
    });
    assert.equal(registered.status, 201, registered.text);
    await this.until(`${SERVICES}/${name}`, hasReason(reason));
    return { server, path: `/apis/${group}/v1`, name, service };
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) await server.stop();
  }
}
