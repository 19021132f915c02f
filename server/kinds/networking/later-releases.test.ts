import assert from 'node:assert/strict';
import { type ReleaseName, releaseOf } from '#base/release/release.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { servicesOf } from '../../allocation/service-allocation.ts';
import { ServiceRanges } from '../../allocation/service-ranges.ts';
import { kindRules } from '../index.ts';
import { KindTester } from '../testing/kind-tester.ts';

const ranges = new ServiceRanges({ clusterIpRanges: [], nodePortRange: [30000, 32767], reserveStatic: false });

/** The rules of a kind in a release, without a server. */
function tester(identity: string, version: string, kind: string, name: ReleaseName): KindTester<ApiObject> {
  const release = releaseOf(name);
  const rules = kindRules({ ...servicesOf(ranges), release, eventTtlSeconds: 1 }).get(identity)!;
  return new KindTester(rules, version, kind, {}, release);
}

type Row = [what: string, release: ReleaseName, body: object, errors: string[], warnings?: string[]];

function table(identity: string, version: string, kind: string, rows: Row[]): void {
  describe(`${identity} by release`, () => {
    for (const [what, release, body, errors, warnings = []] of rows) {
      it(`${what} in ${release}`, () => {
        const rules = tester(identity, version, kind, release);
        assert.deepEqual(rules.errors(body), errors);
        if (errors.length === 0) assert.deepEqual(rules.warnings(body), warnings);
      });
    }
  });
}

const ports = [{ port: 80 }];
const both = {
  metadata: {
    name: 'x',
    annotations: { 'service.orch.io/topology-mode': 'x', 'service.orch.io/topology-aware-hints': 'y' },
  },
  spec: { ports },
};
const outside = { spec: { ports, externalIPs: ['1.2.3.4'], externalTrafficPolicy: 'Local' } };

table('core/services', 'core.v1', 'Service', [
  ['two different topology annotations', '1.26', both, []],
  [
    'two different topology annotations',
    '1.27',
    both,
    [
      'metadata.annotations[service.orch.io/topology-mode]: Invalid value: "x": must match ' +
        'annotations[service.orch.io/topology-aware-hints] when both are specified',
    ],
  ],
  [
    'externalTrafficPolicy with external IPs',
    '1.28',
    outside,
    [
      'spec.externalTrafficPolicy: Invalid value: "Local": may only be set when `type` is ' +
        "'NodePort' or 'LoadBalancer'",
    ],
  ],
  ['externalTrafficPolicy with external IPs', '1.29', outside, []],
  [
    'external IPs',
    '1.36',
    { spec: { ports, externalIPs: ['1.2.3.4'] } },
    [],
    ['spec.externalIPs is deprecated and may no longer be implemented in some clusters'],
  ],
  [
    'leading zeros in an external IP',
    '1.35',
    { spec: { ports, externalIPs: ['01.2.3.4'] } },
    [],
    ['spec.externalIPs[0]: non-standard IP address "01.2.3.4" is invalid: use "1.2.3.4"'],
  ],
  [
    'leading zeros in an external IP',
    '1.36',
    { spec: { ports, externalIPs: ['01.2.3.4'] } },
    ['spec.externalIPs[0]: Invalid value: "01.2.3.4": must not have leading 0s'],
  ],
  ['traffic distribution PreferClose', '1.34', { spec: { ports, trafficDistribution: 'PreferClose' } }, []],
  [
    'traffic distribution PreferClose',
    '1.35',
    { spec: { ports, trafficDistribution: 'PreferClose' } },
    [],
    ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"'],
  ],
  [
    'an external name without type ExternalName',
    '1.28',
    { spec: { ports, externalName: 'a.b' } },
    [],
    ['spec.externalName is ignored when spec.type is not "ExternalName"'],
  ],
]);

describe('names of Services by release', () => {
  const nameErrors = (name: string, release: ReleaseName) => {
    const { context } = tester('core/services', 'core.v1', 'Service', release);
    const rules = kindRules({ ...servicesOf(ranges), release: releaseOf(release), eventTtlSeconds: 1 });
    return rules.get('core/services')!.validateName!(name, false, context).map((text) => text.slice(0, 16));
  };

  it('can start with a digit since 1.36', () => {
    assert.deepEqual(nameErrors('1a', '1.35'), ['a DNS-1035 label']);
    assert.deepEqual(nameErrors('1a', '1.36'), []);
    assert.deepEqual(nameErrors('-a', '1.36'), ['a lowercase RFC ']);
  });
});

describe('the status of Services by release', () => {
  const change = (release: ReleaseName, from: object, to: object) =>
    tester('core/services', 'core.v1', 'Service', release).updateErrors(from, to, 'status');
  const answering = (ip: string) => ({ status: { loadBalancer: { ingress: [{ ip }] } } });

  it('can have ingress points only for load balancers since 1.29', () => {
    const spec = { ports };
    assert.deepEqual(change('1.28', { spec }, { spec, ...answering('1.2.3.4') }), []);
    assert.deepEqual(change('1.29', { spec }, { spec, ...answering('1.2.3.4') }), [
      "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is 'LoadBalancer'",
    ]);
  });

  it('cannot get leading zeros in addresses since 1.36', () => {
    const spec = { ports, type: 'LoadBalancer' };
    const old = { spec, ...answering('01.2.3.4') };
    assert.deepEqual(change('1.35', { spec }, old), []);
    assert.deepEqual(change('1.36', { spec }, old), [
      'status.loadBalancer.ingress[0].ip: Invalid value: "01.2.3.4": must not have leading 0s',
    ]);
    assert.deepEqual(change('1.36', old, old), []);
  });
});

const slice = (...addresses: string[]) => ({ addressType: 'IPv6', endpoints: [{ addresses }] });

table('discovery/endpointslices', 'discovery.v1', 'EndpointSlice', [
  ['an address that is not in canonical form', '1.32', slice('2001:DB8::1'), []],
  [
    'an address that is not in canonical form',
    '1.33',
    slice('2001:DB8::1'),
    ['endpoints[0].addresses[0]: Invalid value: "2001:DB8::1": must be in canonical form ("2001:db8::1")'],
  ],
  [
    'an endpoint without addresses',
    '1.36',
    slice(),
    ['endpoints[0].addresses: Required value: must contain at least 1 address'],
  ],
  ['an endpoint without addresses', '1.37', slice(), ['endpoints[0].addresses: Required value']],
  [
    'domain names',
    '1.27',
    { addressType: 'FQDN', endpoints: [{ addresses: ['a.b'] }] },
    [],
    ['spec.addressType: FQDN endpoints are deprecated'],
  ],
]);

const block = (cidr: string, ...except: string[]) => ({
  spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr, except } }] }] },
});
const BLOCK = 'spec.ingress[0].from[0].ipBlock';

table('networking/networkpolicies', 'networking.v1', 'NetworkPolicy', [
  ['a CIDR with bits beyond the prefix', '1.32', block('10.0.0.1/8'), []],
  [
    'a CIDR with bits beyond the prefix',
    '1.35',
    block('10.0.0.1/8'),
    [],
    [`${BLOCK}.cidr: CIDR value "10.0.0.1/8" is ambiguous in this context (should be "10.0.0.0/8" or "10.0.0.1/32"?)`],
  ],
  [
    'a CIDR with bits beyond the prefix',
    '1.36',
    block('10.0.0.1/8'),
    [`${BLOCK}.cidr: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix length`],
  ],
  [
    'several invalid exceptions',
    '1.36',
    block('10.0.0.0/8', 'x', '11.0.0.0/9'),
    [
      `${BLOCK}.except[0]: Invalid value: "x": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)`,
      `${BLOCK}.except[1]: Invalid value: "11.0.0.0/9": must be a strict subset of \`cidr\``,
    ],
  ],
]);

const classed = (annotation: string, ingressClassName?: string) => ({
  metadata: { name: 'x', annotations: { 'orch.io/ingress.class': annotation } },
  spec: { ingressClassName, defaultBackend: { service: { name: 's', port: { number: 80 } } } },
});
const CLASS = 'annotations.orch.io/ingress.class';

table('networking/ingresses', 'networking.v1', 'Ingress', [
  [
    'the same class in annotation and field',
    '1.26',
    classed('a', 'a'),
    [`${CLASS}: Invalid value: "a": can not be set when the class field is also set`],
  ],
  ['the same class in annotation and field', '1.27', classed('a', 'a'), []],
  [
    'different classes in annotation and field',
    '1.27',
    classed('a', 'b'),
    [`${CLASS}: Invalid value: "a": must match \`ingressClassName\` when both are specified`],
  ],
  [
    'the class in the annotation only',
    '1.27',
    classed('a'),
    [],
    ['annotation "orch.io/ingress.class" is deprecated, please use \'spec.ingressClassName\' instead'],
  ],
]);
