import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import type { Endpoints, Service } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { ClusterServices } from '../outbound/cluster-services.ts';
import { problemOf } from './conditions.ts';

const reference = { namespace: 'n', name: 's' };
const ports = [{ name: 'p', port: 443 }];

function endpoints(addresses: string[], name = 'p'): Endpoints {
  return { metadata: {}, subsets: [{ addresses: addresses.map((ip) => ({ ip })), ports: [{ name, port: 8443 }] }] };
}

describe('problemOf the service of an extension server', () => {
  const table: Record<
    string,
    [
      service: Service['spec'] | undefined,
      endpoints: Endpoints | undefined,
      reason: string | undefined,
      message?: string,
    ]
  > = {
    'no service': [undefined, undefined, 'ServiceNotFound', 'service/s in "n" is not present'],
    'a service with another port': [
      { ports: [{ port: 80 }] },
      undefined,
      'ServicePortError',
      'service/s in "n" is not listening on port 443',
    ],
    'no endpoints': [{ ports }, undefined, 'EndpointsNotFound', 'cannot find endpoints for service/s in "n"'],
    'endpoints without ready addresses': [
      { ports },
      endpoints([]),
      'MissingEndpoints',
      'endpoints for service/s in "n" have no addresses with port name "p"',
    ],
    'endpoints without the port': [{ ports }, endpoints(['10.0.0.9'], 'q'), 'MissingEndpoints'],
    'ready endpoints': [{ ports }, endpoints(['10.0.0.9']), undefined],
    'no endpoints for a service of type LoadBalancer': [{ type: 'LoadBalancer', ports }, undefined, undefined],
    'a service of type ExternalName': [{ type: 'ExternalName', externalName: 'x.example.com' }, undefined, undefined],
  };
  for (const [title, [spec, there, reason, message]] of Object.entries(table)) {
    it(title, () => {
      const stored = new Map<string, object | undefined>([
        ['services', spec && { metadata: {}, spec }],
        ['endpoints', there],
      ]);
      const objects = {
        get: <T extends ApiObject>(_group: string, plural: string) => stored.get(plural) as T | undefined,
        labelled: () => [],
      };
      const found = problemOf(reference, new ClusterServices(objects, createNaming('orch'), false));
      assert.equal(found?.reason, reason);
      if (message !== undefined) assert.equal(found?.message, message);
    });
  }
});
