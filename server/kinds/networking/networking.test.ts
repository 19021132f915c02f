import assert from 'node:assert/strict';
import type { FieldError } from '#base/errors/field-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { defaultRelease } from '#base/release/release.ts';
import type { NodeSelector } from '#schema/generated/core.v1.ts';
import type { NetworkPolicy } from '#schema/generated/networking.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { KindRules, WriteContext } from '../../api/resource-definition.ts';
import { createFeatureGates } from '../../config/feature-gates.ts';
import { clusterCidr } from './cluster-cidr.ts';
import { createIngressRules } from './ingress.ts';
import { createIngressClassRules } from './ingress-class.ts';
import { createNetworkPolicyRules } from './network-policy.ts';
import { nodeSelectorText } from './node-selector-text.ts';

const ingressClass = createIngressClassRules(defaultRelease);
const ingress = createIngressRules(defaultRelease);
const networkPolicy = createNetworkPolicyRules(defaultRelease);

const naming = createNaming('orch');
const gates = createFeatureGates();
const context: WriteContext = {
  naming,
  gates,
  release: defaultRelease,
  user: undefined,
  dryRun: false,
  now: '2026-01-01T00:00:00Z',
  group: 'networking',
  version: 'v1',
  warn: () => undefined,
};

function defaulted(rules: KindRules, object: object): ApiObject {
  const copy = structuredClone(object) as ApiObject;
  for (const version of Object.values(rules.versions ?? {}))
    version.defaults?.(copy, { naming, gates, release: defaultRelease });
  return copy;
}

const texts = (errors: FieldError[]) => errors.map(({ text }) => text.slice(0, 110));

function table<T extends ApiObject>(
  title: string,
  kind: KindRules<T>,
  rows: [what: string, spec: object, after: object | string[]][],
  namespace: { readonly namespace?: string } = { namespace: 'ns' },
): void {
  describe(title, () => {
    const rules = kind as unknown as KindRules;
    for (const [what, spec, after] of rows) {
      it(what, () => {
        const object = defaulted(rules, { metadata: { name: 'a', ...namespace }, spec });
        assert.deepEqual(defaulted(rules, object), object, 'defaulting once is enough');
        const errors = rules.validate!(object, context);
        assert.deepEqual(errors.length > 0 ? texts(errors) : object['spec'], after);
        if (errors.length === 0) assert.deepEqual(rules.validateUpdate!(object, object, context), []);
      });
    }
  });
}

const service = { service: { name: 's', port: { number: 80 } } };
const path = (item: object) => ({ rules: [{ http: { paths: [{ backend: service, ...item }] } }] });
const AT = 'spec.rules[0].http.paths[0]';

table('ingresses', ingress, [
  ['can have only a default backend', { defaultBackend: service }, { defaultBackend: service }],
  ['can have rules without paths', { rules: [{ host: 'a.b' }, {}] }, { rules: [{ host: 'a.b' }, {}] }],
  [
    'nothing',
    {},
    ['spec: Invalid value: []networking.IngressRule(nil): either `defaultBackend` or `rules` must be specified'],
  ],
  ['need a path type', path({ path: '/' }), [`${AT}.pathType: Required value: pathType must be specified`]],
  [
    'need an absolute path',
    path({ path: 'x', pathType: 'Prefix' }),
    [`${AT}.path: Invalid value: "x": must be an absolute path`],
  ],
  [
    'cannot have a path that is not normalized',
    path({ path: '/a//b/..', pathType: 'Exact' }),
    [
      `${AT}.path: Invalid value: "/a//b/..": must not contain '//'`,
      `${AT}.path: Invalid value: "/a//b/..": cannot end with '/..'`,
    ],
  ],
  [
    'can have any path with type ImplementationSpecific',
    path({ path: '//', pathType: 'ImplementationSpecific' }),
    path({ path: '//', pathType: 'ImplementationSpecific' }),
  ],
  [
    'need paths in a rule with http',
    { rules: [{ http: { paths: null } }] },
    ['spec.rules[0].http.paths: Required value'],
  ],
  [
    'cannot have an IP address as host',
    { rules: [{ host: '1.2.3.4' }] },
    ['spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address'],
  ],
  [
    'can have a wildcard host',
    { rules: [{ host: '*.a.b' }], tls: [{ hosts: ['*.a.b'] }] },
    { rules: [{ host: '*.a.b' }], tls: [{ hosts: ['*.a.b'] }] },
  ],
  [
    'cannot have a service and a resource in one backend',
    { defaultBackend: { ...service, resource: { kind: 'K', name: 'n' } } },
    ['spec.defaultBackend: Invalid value: "": cannot set both resource and service backends'],
  ],
  [
    'cannot have a port with both name and number',
    { defaultBackend: { service: { name: 's', port: { name: 'a', number: 1 } } } },
    ['spec.defaultBackend: Invalid value: "": cannot set both port name & port number'],
  ],
]);

table('ingress classes', ingressClass, [
  [
    'get scope Cluster for parameters by default',
    { controller: 'e.com/c', parameters: { kind: 'K', name: 'n' } },
    { controller: 'e.com/c', parameters: { kind: 'K', name: 'n', scope: 'Cluster' } },
  ],
  ['need a controller', {}, ['spec.controller: Required value']],
  [
    'need a controller with a domain',
    { controller: 'c' },
    ['spec.controller: Invalid value: "c": must be a domain-prefixed path (such as "acme.io/foo")'],
  ],
  [
    'need a namespace for parameters with scope Namespace',
    { controller: 'e.com/c', parameters: { kind: 'K', name: 'n', scope: 'Namespace' } },
    ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
  ],
  [
    'cannot have a namespace for parameters with scope Cluster',
    { controller: 'e.com/c', parameters: { kind: 'K', name: 'n', namespace: 'x' } },
    ["spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"],
  ],
  [
    'cannot have an unknown scope',
    { controller: 'e.com/c', parameters: { kind: 'K', name: 'n', scope: '' } },
    ['spec.parameters.scope: Unsupported value: "": supported values: "Cluster", "Namespace"'],
  ],
]);

const egress = (...ports: object[]) => ({ podSelector: {}, egress: [{ ports }] });
const block = (ipBlock: object) => ({ podSelector: {}, ingress: [{ from: [{ ipBlock }] }] });

table('network policies', networkPolicy, [
  [
    'get policy types from their rules',
    egress({ port: 80 }),
    { ...egress({ port: 80, protocol: 'TCP' }), policyTypes: ['Ingress', 'Egress'] },
  ],
  ['have type Ingress if they have no rules', { podSelector: {} }, { podSelector: {}, policyTypes: ['Ingress'] }],
  [
    'cannot have an endPort below port',
    egress({ port: 80, endPort: 79 }),
    ['spec.egress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to `port`'],
  ],
  [
    'cannot have an endPort without port',
    egress({ endPort: 80 }),
    ['spec.egress[0].ports[0].endPort: Invalid value: 80: may not be specified when `port` is not specified'],
  ],
  [
    'cannot have an endPort with a named port',
    egress({ port: '-', endPort: 80 }),
    [
      'spec.egress[0].ports[0].endPort: Invalid value: 80: may not be specified when `port` is non-numeric',
      'spec.egress[0].ports[0].port: Invalid value: "-": must contain at least one letter (a-z)',
      'spec.egress[0].ports[0].port: Invalid value: "-": must not begin or end with a hyphen',
    ],
  ],
  [
    'cannot have an empty peer',
    { podSelector: {}, ingress: [{ from: [{}] }] },
    ['spec.ingress[0].from[0]: Required value: must specify a peer'],
  ],
  [
    'cannot have an exception that equals the CIDR',
    block({ cidr: '10.0.0.0/8', except: ['10.0.0.0/8'] }),
    ['spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`'],
  ],
  [
    'cannot have an exception of another family',
    block({ cidr: '10.0.0.0/8', except: ['fd00::/64'] }),
    ['spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "fd00::/64": must be a strict subset of `cidr`'],
  ],
  [
    'report exceptions only until the first invalid one',
    block({ cidr: '10.0.0.0/8', except: ['11.0.0.0/9', 'x', 'y'] }),
    [
      'spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "11.0.0.0/9": must be a strict subset of `cidr`',
      'spec.ingress[0].from[0].ipBlock.except[1]: Invalid value: "x": not a valid CIDR',
    ],
  ],
  [
    'cannot have three policy types',
    { podSelector: {}, policyTypes: ['Ingress', 'Egress', 'Ingress'] },
    ['spec.policyTypes: Invalid value: []networking.PolicyType{"Ingress", "Egress", "Ingress"}: may not specify more'],
  ],
]);

const CIDRS: Parameters<typeof table>[2] = [
  [
    'can have one address family',
    { ipv4: '10.0.0.0/8', perNodeHostBits: 8 },
    { ipv4: '10.0.0.0/8', perNodeHostBits: 8 },
  ],
  ['need a CIDR', { perNodeHostBits: 8 }, ['spec: Required value: one or both of `ipv4` and `ipv6` must be specified']],
  [
    'cannot have more host bits than their CIDRs',
    { ipv4: '10.0.0.0/28', ipv6: 'fd00::/125', perNodeHostBits: 5 },
    [
      'spec.perNodeHostBits: Invalid value: 5: must be less than or equal to 4',
      'spec.perNodeHostBits: Invalid value: 5: must be less than or equal to 3',
    ],
  ],
  [
    'cannot have an IPv4 CIDR in the IPv6 field',
    { ipv6: '10.0.0.0/8', perNodeHostBits: 8 },
    ['spec.IPv6: Invalid value: "10.0.0.0/8": must be a valid IPv6 CIDR'],
  ],
];
table('cluster CIDRs', clusterCidr, CIDRS, {});

describe('updates of networking kinds', () => {
  it('refuse the class annotation together with the class field only in new ingresses', () => {
    const annotations = { [naming.key('ingress.class')]: 'y' };
    const object = {
      metadata: { name: 'a', namespace: 'ns', annotations },
      spec: { ingressClassName: 'x', defaultBackend: service },
    };
    assert.match(texts(ingress.validate!(object, context)).join(), /can not be set when the class field is also set/);
    assert.deepEqual(ingress.validateUpdate!(object, object, context), []);
  });

  it('validate a cluster CIDR before its immutable fields', () => {
    const term = { key: 'x', operator: 'In', values: ['y'] };
    const object = (spec: object) => ({
      metadata: { name: 'a' },
      spec: { ipv4: '10.0.0.0/8', ipv6: '', perNodeHostBits: 8, ...spec },
    });
    const errors = clusterCidr.validateUpdate!(
      object({ nodeSelector: { nodeSelectorTerms: [{ matchFields: [term] }] } }),
      object({}),
      context,
    );
    assert.deepEqual(
      errors.map(({ field, type }) => [field, type]),
      [
        ['spec.nodeSelector.nodeSelectorTerms[0].matchFields[0].key', 'FieldValueInvalid'],
        ['spec.nodeSelector', 'FieldValueInvalid'],
      ],
    );
  });

  it('cannot change the controller of a class or the CIDR of a range', () => {
    const one = { metadata: { name: 'a' }, spec: { controller: 'e.com/a' } };
    const two = { metadata: { name: 'a' }, spec: { controller: 'e.com/b' } };
    assert.deepEqual(texts(ingressClass.validateUpdate!(two, one, context)), [
      'spec.controller: Invalid value: "e.com/b": field is immutable',
    ]);
  });
});

describe('the status of a NetworkPolicy', () => {
  const conditions = (type: string) => ({ conditions: [{ type }] });
  const policy = (status?: object) => ({ metadata: { name: 'a' }, spec: { podSelector: {} }, status }) as NetworkPolicy;
  const gated = { ...context, gates: createFeatureGates(new Map([['NetworkPolicyStatus', true]])) };
  const throughView = (before: object, after: object, write: WriteContext) => {
    const object = policy(after);
    networkPolicy.subresources!['status']!.prepareForUpdate!(object, policy(before), write);
    return object.status;
  };

  it('is written with the object only if its gate is disabled and the stored object has none', () => {
    assert.equal(networkPolicy.takesStatus!(undefined, context), true);
    assert.equal(networkPolicy.takesStatus!(policy({}), context), true);
    assert.equal(networkPolicy.takesStatus!(policy(conditions('A')), context), false);
    assert.equal(networkPolicy.takesStatus!(undefined, gated), false);
  });

  it('can only be cleared if its gate is disabled', () => {
    assert.deepEqual(throughView(conditions('A'), conditions('B'), context), conditions('A'));
    assert.deepEqual(throughView({}, conditions('B'), context), {});
    assert.deepEqual(throughView(conditions('A'), { conditions: [] }, context), {});
    assert.deepEqual(throughView(conditions('A'), conditions('B'), gated), conditions('B'));
  });

  it('needs valid conditions', () => {
    const errors = networkPolicy.subresources!['status']!.validateUpdate!(policy(conditions('A')), policy(), context);
    assert.deepEqual(
      errors.map(({ field }) => field),
      ['status', 'lastTransitionTime', 'reason'].map((name) => `status.conditions[0].${name}`),
    );
  });
});

describe('tables of networking kinds', () => {
  const cells = (rules: object, object: object) =>
    (rules as KindRules).cells!(object as ApiObject, { naming, release: defaultRelease, now: 0 }).slice(1, -1);
  it('show hosts, addresses and ports of an ingress', () => {
    const rules = ['a.b', 'c.d', 'e.f', 'g.h', ''].map((host) => ({ host }));
    const status = { loadBalancer: { ingress: [{ ip: '1.2.3.4' }, { hostname: 'lb.a.b' }, { ip: '1.2.3.4' }] } };
    assert.deepEqual(cells(ingress, { metadata: {}, spec: { rules, tls: [{}] }, status }), [
      '<none>',
      'a.b,c.d,e.f + 2 more...',
      '1.2.3.4,lb.a.b',
      '80, 443',
    ]);
    assert.deepEqual(cells(ingress, { metadata: {}, spec: {} }), ['<none>', '*', '', '80']);
  });
  it('show the parameters of a class', () => {
    const spec = { controller: 'e.com/c', parameters: { apiGroup: 'g.com', kind: 'K', name: 'n', scope: 'Cluster' } };
    assert.deepEqual(cells(ingressClass, { metadata: {}, spec }), ['e.com/c', 'K.g.com/n']);
  });
  it('show the pod selector of a policy', () => {
    assert.deepEqual(
      cells(networkPolicy, { metadata: {}, spec: { podSelector: { matchLabels: { b: '1', a: '2' } } } }),
      ['a=2,b=1'],
    );
    assert.deepEqual(cells(networkPolicy, { metadata: {}, spec: { podSelector: {} } }), ['<none>']);
    const podSelector = { matchExpressions: [{ key: 'a', operator: 'In', values: ['no label'] }] };
    assert.deepEqual(cells(networkPolicy, { metadata: {}, spec: { podSelector } }), ['<error>']);
  });
  it('show the node selector of a range', () => {
    const matchExpressions = [
      { key: 'zone', operator: 'In', values: ['a', 'b'] },
      { key: 'gpu', operator: 'Exists' },
    ];
    const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['n'] }];
    const nodes = (nodeSelector?: object) => nodeSelectorText(nodeSelector as NodeSelector | undefined);
    assert.equal(nodes(), '<none>');
    assert.equal(nodes({ nodeSelectorTerms: [{}] }), '');
    assert.equal(
      nodes({ nodeSelectorTerms: [{ matchExpressions, matchFields }, { matchFields }] }),
      'MatchExpressions: [{zone In [a b]} {gpu Exists []}],MatchFields: [{metadata.name In [n]}],MatchFields: [{metadata.name In [n]}]',
    );
  });
});
