import assert from 'node:assert/strict';
import { FakeCluster } from '../testing/fake-cluster.ts';
import { serviceAddress } from './service-address.ts';

const cluster = new FakeCluster({
  '/services': [
    { metadata: { namespace: 'ns', name: 'plain' }, spec: { clusterIP: '10.0.0.7', ports: [{ port: 443 }] } },
    {
      metadata: { namespace: 'ns', name: 'headless' },
      spec: { clusterIP: 'None', ports: [{ name: 'tls', port: 443 }] },
    },
    { metadata: { namespace: 'ns', name: 'empty' }, spec: { clusterIP: 'None', ports: [{ port: 443 }] } },
    { metadata: { namespace: 'ns', name: 'outside' }, spec: { type: 'ExternalName', externalName: 'example.com' } },
  ],
  '/endpoints': [
    {
      metadata: { namespace: 'ns', name: 'plain' },
      subsets: [{ addresses: [{ ip: '10.1.0.1' }], ports: [{ port: 8443 }] }],
    },
    {
      metadata: { namespace: 'ns', name: 'headless' },
      subsets: [
        { addresses: [{ ip: '10.1.0.2' }], ports: [{ name: 'other', port: 1 }] },
        { notReadyAddresses: [{ ip: '10.1.0.3' }], ports: [{ name: 'tls', port: 9443 }] },
        { addresses: [{ ip: '10.1.0.4' }], ports: [{ name: 'tls', port: 9443 }] },
      ],
    },
  ],
});

describe('addresses of services', () => {
  const rows: [name: string, port: number, endpoints: boolean, address: string][] = [
    ['plain', 443, false, '10.0.0.7:443'],
    ['plain', 443, true, '10.1.0.1:8443'],
    ['headless', 443, false, '10.1.0.4:9443'],
    ['outside', 9443, false, 'example.com:9443'],
    ['plain', 80, false, 'no service port 80 found for service "plain"'],
    ['empty', 443, false, 'no endpoints available for service "empty"'],
    ['none', 443, false, 'service "none" not found'],
  ];
  for (const [name, port, endpoints, wanted] of rows) {
    it(`${name}:${port}${endpoints ? ' at its endpoints' : ''} is ${wanted}`, () => {
      const resolve = () => serviceAddress(cluster, { namespace: 'ns', name, port }, endpoints);
      if (wanted.includes(' ')) assert.throws(resolve, { message: wanted });
      else assert.equal(`${resolve().host}:${resolve().port}`, wanted);
    });
  }
});
