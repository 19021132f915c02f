import assert from 'node:assert/strict';
import fc from 'fast-check';
import { StatusError } from '#base/errors/status-error.ts';
import { defaultService } from '#schema/conversion/core/default-service.ts';
import type { Service, ServiceSpec } from '#schema/generated/core.v1.ts';
import { MemoryStore } from '../../cache/testing/memory-store.ts';
import { PREFIX, ServiceReplica } from './service/testing/service-replica.ts';

const ports = [{ port: 80 }];
const DUAL = { clusterIpRanges: ['10.0.0.0/24', 'fd00::/112'] };

/** The fields of a service that a row names. */
function part(service: Service, like: object): object {
  const spec = service.spec as Record<string, unknown>;
  return Object.fromEntries(Object.keys(like).map((field) => [field, spec[field]]));
}

async function outcome(act: Promise<Service>, like: object | string[]): Promise<unknown> {
  try {
    const service = await act;
    return Array.isArray(like) ? service : part(service, like);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return (error.status.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
  }
}

describe('Services', () => {
  type Row = [what: string, spec: ServiceSpec, after: object | string[], dual?: 'dual'];
  const created: Row[] = [
    [
      'gets all defaults',
      { ports },
      {
        type: 'ClusterIP',
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }],
      },
    ],
    ['accepts a requested address', { ports, clusterIP: '10.0.0.9' }, { clusterIPs: ['10.0.0.9'] }],
    ['keeps the spelling of an address', { ports, clusterIP: '10.0.0.010' }, { clusterIPs: ['10.0.0.010'] }],
    ['has both families if it is headless without a selector', { clusterIP: 'None' }, { ipFamilies: ['IPv4', 'IPv6'] }],
    [
      'has one family if it is headless with a selector',
      { clusterIP: 'None', selector: { a: 'b' } },
      { ipFamilyPolicy: 'SingleStack' },
    ],
    [
      'has no addresses if its type is ExternalName',
      { type: 'ExternalName', externalName: 'a.b.' },
      { clusterIP: undefined, ipFamilies: undefined },
    ],
    [
      'has one family with PreferDualStack on a cluster with one family',
      { ports, ipFamilyPolicy: 'PreferDualStack' },
      { ipFamilies: ['IPv4'] },
    ],
    [
      'has two families with PreferDualStack on a cluster with two families',
      { ports, ipFamilyPolicy: 'PreferDualStack' },
      { ipFamilies: ['IPv4', 'IPv6'] },
      'dual',
    ],
    ['accepts the second family only', { ports, ipFamilies: ['IPv6'] }, { ipFamilies: ['IPv6'] }, 'dual'],
    [
      'accepts two addresses in any order',
      { ports, clusterIP: 'fd00::5', clusterIPs: ['fd00::5', '10.0.0.5'], ipFamilyPolicy: 'RequireDualStack' },
      { ipFamilies: ['IPv6', 'IPv4'], clusterIPs: ['fd00::5', '10.0.0.5'] },
      'dual',
    ],
    [
      'gives the same node port to TCP and UDP ports with the same number',
      {
        type: 'NodePort',
        ports: [
          { name: 't', port: 53, nodePort: 30053 },
          { name: 'u', port: 53, protocol: 'UDP' },
        ],
      },
      {
        ports: [
          { name: 't', port: 53, nodePort: 30053, protocol: 'TCP', targetPort: 53 },
          { name: 'u', port: 53, nodePort: 30053, protocol: 'UDP', targetPort: 53 },
        ],
      },
    ],
    [
      'gives a load balancer no node ports if it disables them',
      { type: 'LoadBalancer', ports, allocateLoadBalancerNodePorts: false },
      { ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }], externalTrafficPolicy: 'Cluster' },
    ],
    ['refuses a spec without ports', {}, ['spec.ports: Required value']],
    [
      'refuses an address outside of the range',
      { ports, clusterIP: '10.0.0.255' },
      [
        'spec.clusterIPs: Invalid value: []string{"10.0.0.255"}: failed to allocate IP 10.0.0.255: the provided IP (10.0.0.255) is not in the valid range. The range of valid IPs is 10.0.0.0/24',
      ],
    ],
    [
      'reports only an unsupported family before other errors',
      { ports: [], ipFamilies: ['IPv6'] },
      ['spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
    ],
    [
      'refuses three addresses without clusterIP',
      { ports, clusterIPs: ['10.0.0.8', 'fd00::5', '10.0.0.9'] },
      [
        'spec.clusterIPs: Invalid value: []string{"10.0.0.8", "fd00::5", "10.0.0.9"}: must be empty when `clusterIP` is not specified',
        'spec.clusterIPs: Invalid value: []string{"10.0.0.8", "fd00::5", "10.0.0.9"}: may only hold up to 2 values',
      ],
    ],
    [
      'refuses the same node port for different port numbers',
      {
        type: 'NodePort',
        ports: [
          { name: 'a', port: 1, nodePort: 30001 },
          { name: 'b', port: 2, nodePort: 30001 },
        ],
      },
      ['spec.ports[1].nodePort: Invalid value: 30001: provided port is already allocated'],
    ],
    [
      'refuses None together with an address',
      { ports, clusterIP: 'None', clusterIPs: ['None', '10.0.0.5'] },
      [`spec.clusterIPs: Invalid value: []string{"None", "10.0.0.5"}: 'None' must be the first and only value`],
    ],
    [
      'refuses a headless load balancer',
      { type: 'LoadBalancer', ports, clusterIP: 'None' },
      [`spec.clusterIPs[0]: Invalid value: "None": may not be set to 'None' for LoadBalancer services`],
    ],
    [
      'refuses a health check port for other types',
      { type: 'NodePort', ports, healthCheckNodePort: 30099 },
      [
        "spec.healthCheckNodePort: Invalid value: 30099: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
      ],
    ],
  ];
  for (const [what, spec, after, dual] of created) {
    it(`create: ${what}`, async () => {
      const replica = new ServiceReplica(new MemoryStore(), dual === undefined ? {} : DUAL);
      assert.deepEqual(await outcome(replica.create('s', spec), after), after);
    });
  }

  type Change = [
    what: string,
    spec: ServiceSpec,
    change: ServiceSpec | ((spec: ServiceSpec) => ServiceSpec),
    after: object | string[],
    dual?: 'dual',
  ];
  const nodePort: ServiceSpec = { type: 'NodePort', ports: [{ port: 80, nodePort: 30080 }], clusterIP: '10.0.0.9' };
  const both: ServiceSpec = {
    ports,
    clusterIP: '10.0.0.9',
    clusterIPs: ['10.0.0.9', 'fd00::9'],
    ipFamilyPolicy: 'RequireDualStack',
  };
  const updated: Change[] = [
    [
      'keeps values that the server assigned',
      nodePort,
      { type: 'NodePort', ports },
      { clusterIP: '10.0.0.9', ports: [{ port: 80, protocol: 'TCP', targetPort: 80, nodePort: 30080 }] },
    ],
    [
      'releases node ports if the type becomes ClusterIP',
      nodePort,
      (spec) => ({ ...spec, type: 'ClusterIP' }),
      { externalTrafficPolicy: undefined, ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }] },
    ],
    [
      'releases addresses if the type becomes ExternalName',
      nodePort,
      (spec) => ({ ...spec, type: 'ExternalName', externalName: 'a.b' }),
      { clusterIP: undefined, clusterIPs: undefined, ipFamilies: undefined, internalTrafficPolicy: undefined },
    ],
    [
      'refuses an unknown type',
      { ports },
      { ports, type: 'Odd' },
      [
        'spec.type: Unsupported value: "Odd": supported values: "ClusterIP", "ExternalName", "LoadBalancer", "NodePort"',
      ],
    ],
    [
      'refuses another address',
      { ports, clusterIP: '10.0.0.9' },
      (spec) => ({ ...spec, clusterIP: '10.0.0.7' }),
      ['spec.clusterIPs[0]: Invalid value: []string{"10.0.0.7"}: may not change once set'],
    ],
    [
      'refuses another address in clusterIP only',
      { ports, clusterIP: '10.0.0.9' },
      (spec) => ({ ...spec, clusterIP: '10.0.0.7', clusterIPs: [] }),
      ['spec.clusterIPs[0]: Invalid value: []string{"10.0.0.7"}: may not change once set'],
    ],
    [
      'can change from two families to one',
      both,
      (spec) => ({ ...spec, ipFamilyPolicy: 'SingleStack' }),
      { clusterIPs: ['10.0.0.9'], ipFamilies: ['IPv4'] },
      'dual',
    ],
    [
      'keeps two families that the update does not contain',
      both,
      { ports },
      { clusterIPs: ['10.0.0.9', 'fd00::9'], ipFamilyPolicy: 'RequireDualStack' },
      'dual',
    ],
    [
      'refuses to remove a family without policy SingleStack',
      both,
      (spec) => ({ ...spec, clusterIPs: ['10.0.0.9'], ipFamilies: ['IPv4'] }),
      [
        'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": must be set to \'SingleStack\' when releasing the secondary clusterIP',
      ],
      'dual',
    ],
  ];
  for (const [what, spec, change, after, dual] of updated) {
    it(`update: ${what}`, async () => {
      const replica = new ServiceReplica(new MemoryStore(), dual === undefined ? {} : DUAL);
      await replica.create('s', spec);
      assert.deepEqual(await outcome(replica.update('s', change), after), after);
    });
  }

  it('have claims for exactly their addresses and node ports', async () => {
    const store = new MemoryStore();
    const replica = new ServiceReplica(store, DUAL);
    const holds = async (...claims: string[]) => assert.deepEqual(await replica.claims(), claims);
    await replica.create('s', nodePort);
    await holds('cluster-ips/10.0.0.9', 'node-ports/30080');
    await replica.create('dry', { ports, clusterIP: '10.0.0.20' }, true);
    await holds('cluster-ips/10.0.0.9', 'node-ports/30080');
    await replica.update('s', (spec) => ({ ...spec, ports: [{ port: 80, nodePort: 30081 }] }));
    await holds('cluster-ips/10.0.0.9', 'node-ports/30081');
    await replica.update('s', (spec) => ({
      ...spec,
      type: 'LoadBalancer',
      externalTrafficPolicy: 'Local',
      healthCheckNodePort: 30099,
    }));
    await holds('cluster-ips/10.0.0.9', 'node-ports/30081', 'node-ports/30099');
    await replica.update('s', (spec) => ({ ...spec, type: 'ClusterIP' }));
    await holds('cluster-ips/10.0.0.9');
    const upgraded = await replica.update('s', (spec) => ({ ...spec, ipFamilyPolicy: 'PreferDualStack' }));
    const second = upgraded.spec!.clusterIPs![1]!;
    await holds('cluster-ips/10.0.0.9', `cluster-ips/${second}`);
    await replica.update('s', (spec) => ({ ...spec, ipFamilyPolicy: 'SingleStack' }));
    await holds('cluster-ips/10.0.0.9');
    await replica.remove('s');
    await holds();
  });

  for (const [what, asked, shown] of [
    ['none', [undefined, undefined], [32769, 32770]],
    ['one of two', [30080, undefined], [30080, 30081]],
    ['the second of two', [undefined, 30080], [32769, 30080]],
  ] as const) {
    it(`have node ports in a dry run that are not allocated, with ${what} requested`, async () => {
      const replica = new ServiceReplica(new MemoryStore());
      const listed = asked.map((nodePort, i) => ({
        port: 80 + i,
        name: `p${i}`,
        ...(nodePort === undefined ? {} : { nodePort }),
      }));
      const { spec } = await replica.create('dry', { type: 'NodePort', ports: listed }, true);
      assert.deepEqual(
        spec?.ports?.map(({ nodePort }) => nodePort),
        shown,
      );
    });
  }

  it('cannot use an address or node port of another service, even in another spelling', async () => {
    const replica = new ServiceReplica(new MemoryStore());
    await replica.create('a', { type: 'NodePort', ports: [{ port: 80, nodePort: 30080 }], clusterIP: '10.0.0.10' });
    assert.deepEqual(await outcome(replica.create('b', { ports, clusterIP: '10.0.0.010' }), []), [
      'spec.clusterIPs: Invalid value: []string{"10.0.0.010"}: failed to allocate IP 10.0.0.010: provided IP is already allocated',
    ]);
    assert.deepEqual(
      await outcome(replica.create('c', { type: 'NodePort', ports: [{ port: 1, nodePort: 30080 }] }), []),
      ['spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated'],
    );
  });

  it('are deleted with their endpoints, unless the endpoints have finalizers', async () => {
    const store = new MemoryStore();
    const replica = new ServiceReplica(store);
    const endpoints = `${PREFIX}/core/endpoints/ns/s`;
    for (const finalizers of [[], ['x.io/y']]) {
      await replica.create('s', { ports });
      store.put(endpoints, JSON.stringify({ metadata: { name: 's', finalizers } }));
      await replica.remove('s');
      assert.equal((await store.get(endpoints)) !== undefined, finalizers.length > 0);
    }
  });

  const anySpec = fc.record(
    {
      type: fc.constantFrom('', 'ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName', 'Odd'),
      ports: fc.array(
        fc.record(
          {
            port: fc.integer({ min: 0, max: 70000 }),
            protocol: fc.constantFrom('', 'TCP', 'UDP'),
            targetPort: fc.oneof(fc.constantFrom('', 'web'), fc.integer({ min: 0, max: 70000 })),
          },
          { requiredKeys: ['port'] },
        ),
        { maxLength: 3 },
      ),
      sessionAffinity: fc.constantFrom('', 'None', 'ClientIP', 'Odd'),
      externalTrafficPolicy: fc.constantFrom('', 'Local'),
      externalName: fc.constantFrom('', 'a.b'),
    },
    { requiredKeys: [] },
  );

  it('get their defaults only once', () => {
    fc.assert(
      fc.property(anySpec, (spec) => {
        const once: Service = { metadata: {}, spec: structuredClone(spec) };
        defaultService(once);
        const twice = structuredClone(once);
        defaultService(twice);
        assert.deepEqual(twice, once);
      }),
    );
  });

  it('that were accepted are accepted again without a change', async () => {
    await fc.assert(
      fc.asyncProperty(anySpec, async (spec) => {
        const replica = new ServiceReplica(new MemoryStore());
        const service = await replica.create('s', spec).catch((error: unknown) => {
          if (!(error instanceof StatusError)) throw error;
        });
        if (service === undefined) return;
        const before = await replica.claims();
        const again = await replica.update('s', (stored) => stored);
        assert.deepEqual(again.spec, service.spec);
        assert.deepEqual(await replica.claims(), before);
      }),
      { numRuns: 60 },
    );
  });
});
