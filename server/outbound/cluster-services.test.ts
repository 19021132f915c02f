import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { ClusterServices, type ServiceObjects } from './cluster-services.ts';

const naming = createNaming('orch');
const namespace = 'ns';

const stored = new Map<string, readonly object[]>([
  [
    'services',
    [
      { metadata: { namespace, name: 'plain' }, spec: { clusterIP: '10.0.0.7', ports: [{ port: 443 }] } },
      { metadata: { namespace, name: 'headless' }, spec: { clusterIP: 'None', ports: [{ name: 'tls', port: 443 }] } },
      { metadata: { namespace, name: 'sliced' }, spec: { clusterIP: 'None', ports: [{ name: 'tls', port: 443 }] } },
      { metadata: { namespace, name: 'empty' }, spec: { clusterIP: 'None', ports: [{ port: 443 }] } },
      { metadata: { namespace, name: 'outside' }, spec: { type: 'ExternalName', externalName: 'example.com' } },
    ],
  ],
  [
    'endpoints',
    [
      {
        metadata: { namespace, name: 'plain' },
        subsets: [{ addresses: [{ ip: '10.1.0.1' }], ports: [{ port: 8443 }] }],
      },
      {
        metadata: { namespace, name: 'headless' },
        subsets: [
          { addresses: [{ ip: '10.1.0.2' }], ports: [{ name: 'other', port: 1 }] },
          { notReadyAddresses: [{ ip: '10.1.0.3' }], ports: [{ name: 'tls', port: 9443 }] },
          { addresses: [{ ip: '10.1.0.4' }, { ip: '10.1.0.5' }], ports: [{ name: 'tls', port: 9443 }] },
          { addresses: [{ ip: '10.1.0.6' }], ports: [{ name: 'tls', port: 9444 }] },
        ],
      },
      { metadata: { namespace, name: 'empty' }, subsets: [] },
    ],
  ],
  [
    'endpointslices',
    [
      {
        metadata: { namespace, name: 'sliced-a', labels: { [naming.key('service-name')]: 'sliced' } },
        ports: [{ name: 'tls', port: 7443 }],
        endpoints: [
          { addresses: ['10.2.0.1'] },
          { addresses: ['10.2.0.2'], conditions: { ready: false } },
          { addresses: ['10.2.0.3', '10.2.0.4'], conditions: { ready: true } },
        ],
      },
      {
        metadata: { namespace, name: 'sliced-b', labels: { [naming.key('service-name')]: 'sliced' } },
        ports: [{ name: 'other', port: 1 }],
        endpoints: [{ addresses: ['10.2.0.5'] }],
      },
    ],
  ],
]);

const objects: ServiceObjects = {
  get: <T extends ApiObject>(_group: string, plural: string, key: string) =>
    (stored.get(plural) as readonly T[]).find(({ metadata }) => `${metadata.namespace}/${metadata.name}` === key),
  labelled: <T extends ApiObject>(_group: string, plural: string, _namespace: string, label: readonly string[]) =>
    (stored.get(plural) as readonly T[]).filter(({ metadata }) => metadata.labels?.[label[0]!] === label[1]),
};

describe('ClusterServices', () => {
  const rows: [name: string, port: number, endpoints: boolean, ...addresses: string[]][] = [
    ['plain', 443, false, '10.0.0.7:443', '10.0.0.7:443'],
    ['plain', 443, true, '10.1.0.1:8443', '10.1.0.1:8443'],
    ['headless', 443, false, '10.1.0.4:9443', '10.1.0.5:9443', '10.1.0.6:9444', '10.1.0.4:9443'],
    ['sliced', 443, true, '10.2.0.1:7443', '10.2.0.3:7443', '10.2.0.1:7443'],
    ['outside', 9443, false, 'example.com:9443'],
    ['plain', 80, false, 'no service port 80 found for service "plain"'],
    ['empty', 443, false, 'no endpoints available for service "empty"'],
    ['none', 443, false, 'service "none" not found'],
  ];
  for (const [name, port, endpoints, ...wanted] of rows) {
    it(`returns ${wanted.join(', then ')} for ${name}:${port}${endpoints ? ' with endpoints' : ''}`, () => {
      const services = new ClusterServices(objects, naming, endpoints);
      const found = wanted.map(() => {
        try {
          const { host, port: at } = services.addressOf({ namespace, name, port });
          return `${host}:${at}`;
        } catch (error) {
          return (error as Error).message;
        }
      });
      assert.deepEqual(found, wanted);
    });
  }

  it('distinguishes services without endpoints from services without ready endpoints', () => {
    const services = new ClusterServices(objects, naming, true);
    assert.equal(services.readyEndpoints(namespace, 'none', ''), undefined);
    assert.deepEqual(services.readyEndpoints(namespace, 'empty', ''), []);
  });
});
