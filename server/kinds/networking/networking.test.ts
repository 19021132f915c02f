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
  for (const version of Object.values(rules.versions ?? {})) version.defaults?.(copy, { naming, gates });
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
  ['only a default backend', { defaultBackend: service }, { defaultBackend: service }],
  ['rules without paths', { rules: [{ host: 'a.b' }, {}] }, { rules: [{ host: 'a.b' }, {}] }],
  [
    'nothing',
    {},
    ['spec: Invalid value: []networking.IngressRule(nil): either `defaultBackend` or `rules` must be specified'],
  ],
  ['no path type', path({ path: '/' }), [`${AT}.pathType: Required value: pathType must be specified`]],
  [
    'a path that is none',
    path({ path: 'x', pathType: 'Prefix' }),
    [`${AT}.path: Invalid value: "x": must be an absolute path`],
  ],
  [
    'two spellings of a path',
    path({ path: '/a//b/..', pathType: 'Exact' }),
    [
      `${AT}.path: Invalid value: "/a//b/..": must not contain '//'`,
      `${AT}.path: Invalid value: "/a//b/..": cannot end with '/..'`,
    ],
  ],
  [
    "they are the implementation's business",
    path({ path: '//', pathType: 'ImplementationSpecific' }),
    path({ path: '//', pathType: 'ImplementationSpecific' }),
  ],
  ['no paths', { rules: [{ http: { paths: null } }] }, ['spec.rules[0].http.paths: Required value']],
  [
    'an address as host',
    { rules: [{ host: '1.2.3.4' }] },
    ['spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address'],
  ],
  [
    'any host of a domain',
    { rules: [{ host: '*.a.b' }], tls: [{ hosts: ['*.a.b'] }] },
    { rules: [{ host: '*.a.b' }], tls: [{ hosts: ['*.a.b'] }] },
  ],
  [
    'two backends in one',
    { defaultBackend: { ...service, resource: { kind: 'K', name: 'n' } } },
    ['spec.defaultBackend: Invalid value: "": cannot set both resource and service backends'],
  ],
  [
    'a port by name and number',
    { defaultBackend: { service: { name: 's', port: { name: 'a', number: 1 } } } },
    ['spec.defaultBackend: Invalid value: "": cannot set both port name & port number'],
  ],
]);

table('ingress classes', ingressClass, [
  [
    'the scope of parameters',
    { controller: 'e.com/c', parameters: { kind: 'K', name: 'n' } },
    { controller: 'e.com/c', parameters: { kind: 'K', name: 'n', scope: 'Cluster' } },
  ],
  ['no controller', {}, ['spec.controller: Required value']],
  [
    'a controller without domain',
    { controller: 'c' },
    ['spec.controller: Invalid value: "c": must be a domain-prefixed path (such as "acme.io/foo")'],
  ],
  [
    'parameters of a namespace that is not named',
    { controller: 'e.com/c', parameters: { kind: 'K', name: 'n', scope: 'Namespace' } },
    ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
  ],
  [
    'a namespace for the whole cluster',
    { controller: 'e.com/c', parameters: { kind: 'K', name: 'n', namespace: 'x' } },
    ["spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"],
  ],
  [
    'a scope that is none',
    { controller: 'e.com/c', parameters: { kind: 'K', name: 'n', scope: '' } },
    ['spec.parameters.scope: Unsupported value: "": supported values: "Cluster", "Namespace"'],
  ],
]);

const egress = (...ports: object[]) => ({ podSelector: {}, egress: [{ ports }] });
const block = (ipBlock: object) => ({ podSelector: {}, ingress: [{ from: [{ ipBlock }] }] });

table('network policies', networkPolicy, [
  [
    'what it is about follows from its rules',
    egress({ port: 80 }),
    { ...egress({ port: 80, protocol: 'TCP' }), policyTypes: ['Ingress', 'Egress'] },
  ],
  ['nothing comes in', { podSelector: {} }, { podSelector: {}, policyTypes: ['Ingress'] }],
  [
    'an end before the start',
    egress({ port: 80, endPort: 79 }),
    ['spec.egress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to `port`'],
  ],
  [
    'an end without a start',
    egress({ endPort: 80 }),
    ['spec.egress[0].ports[0].endPort: Invalid value: 80: may not be specified when `port` is not specified'],
  ],
  [
    'an end after a name',
    egress({ port: '-', endPort: 80 }),
    [
      'spec.egress[0].ports[0].endPort: Invalid value: 80: may not be specified when `port` is non-numeric',
      'spec.egress[0].ports[0].port: Invalid value: "-": must contain at least one letter (a-z)',
      'spec.egress[0].ports[0].port: Invalid value: "-": must not begin or end with a hyphen',
    ],
  ],
  [
    'an empty peer',
    { podSelector: {}, ingress: [{ from: [{}] }] },
    ['spec.ingress[0].from[0]: Required value: must specify a peer'],
  ],
  [
    'an exception that is all',
    block({ cidr: '10.0.0.0/8', except: ['10.0.0.0/8'] }),
    ['spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`'],
  ],
  [
    'an exception of another family',
    block({ cidr: '10.0.0.0/8', except: ['fd00::/64'] }),
    ['spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "fd00::/64": must be a strict subset of `cidr`'],
  ],
  [
    'exceptions after one that is no range',
    block({ cidr: '10.0.0.0/8', except: ['11.0.0.0/9', 'x', 'y'] }),
    [
      'spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "11.0.0.0/9": must be a strict subset of `cidr`',
      'spec.ingress[0].from[0].ipBlock.except[1]: Invalid value: "x": not a valid CIDR',
    ],
  ],
  [
    'three types',
    { podSelector: {}, policyTypes: ['Ingress', 'Egress', 'Ingress'] },
    ['spec.policyTypes: Invalid value: []networking.PolicyType{"Ingress", "Egress", "Ingress"}: may not specify more'],
  ],
]);

const CIDRS: Parameters<typeof table>[2] = [
  ['one family', { ipv4: '10.0.0.0/8', perNodeHostBits: 8 }, { ipv4: '10.0.0.0/8', perNodeHostBits: 8 }],
  ['no range', { perNodeHostBits: 8 }, ['spec: Required value: one or both of `ipv4` and `ipv6` must be specified']],
  [
    'nodes that do not fit',
    { ipv4: '10.0.0.0/28', ipv6: 'fd00::/125', perNodeHostBits: 5 },
    [
      'spec.perNodeHostBits: Invalid value: 5: must be less than or equal to 4',
      'spec.perNodeHostBits: Invalid value: 5: must be less than or equal to 3',
    ],
  ],
  [
    'the other family',
    { ipv6: '10.0.0.0/8', perNodeHostBits: 8 },
    ['spec.IPv6: Invalid value: "10.0.0.0/8": must be a valid IPv6 CIDR'],
  ],
];
table('cluster CIDRs', clusterCidr, CIDRS, {});

describe('updates', () => {
  it('the annotation of a class only counts against new ingresses', () => {
    const annotations = { [naming.key('ingress.class')]: 'y' };
    const object = {
      metadata: { name: 'a', namespace: 'ns', annotations },
      spec: { ingressClassName: 'x', defaultBackend: service },
    };
    assert.match(texts(ingress.validate!(object, context)).join(), /can not be set when the class field is also set/);
    assert.deepEqual(ingress.validateUpdate!(object, object, context), []);
  });

  it('a range is looked at again before what may not change of it', () => {
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

  it('controllers and ranges stay', () => {
    const one = { metadata: { name: 'a' }, spec: { controller: 'e.com/a' } };
    const two = { metadata: { name: 'a' }, spec: { controller: 'e.com/b' } };
    assert.deepEqual(texts(ingressClass.validateUpdate!(two, one, context)), [
      'spec.controller: Invalid value: "e.com/b": field is immutable',
    ]);
  });
});

describe('the status of a network policy', () => {
  const conditions = (type: string) => ({ conditions: [{ type }] });
  const policy = (status?: object) => ({ metadata: { name: 'a' }, spec: { podSelector: {} }, status }) as NetworkPolicy;
  const gated = { ...context, gates: createFeatureGates(new Map([['NetworkPolicyStatus', true]])) };
  const throughView = (before: object, after: object, write: WriteContext) => {
    const object = policy(after);
    networkPolicy.subresources!['status']!.prepareForUpdate!(object, policy(before), write);
    return object.status;
  };

  it('is taken from the object itself only while its gate is off and there is none', () => {
    assert.equal(networkPolicy.takesStatus!(undefined, context), true);
    assert.equal(networkPolicy.takesStatus!(policy({}), context), true);
    assert.equal(networkPolicy.takesStatus!(policy(conditions('A')), context), false);
    assert.equal(networkPolicy.takesStatus!(undefined, gated), false);
  });

  it('can only be cleared while its gate is off', () => {
    assert.deepEqual(throughView(conditions('A'), conditions('B'), context), conditions('A'));
    assert.deepEqual(throughView({}, conditions('B'), context), {});
    assert.deepEqual(throughView(conditions('A'), { conditions: [] }, context), {});
    assert.deepEqual(throughView(conditions('A'), conditions('B'), gated), conditions('B'));
  });

  it('has conditions of the common form', () => {
    const errors = networkPolicy.subresources!['status']!.validateUpdate!(policy(conditions('A')), policy(), context);
    assert.deepEqual(
      errors.map(({ field }) => field),
      ['status', 'lastTransitionTime', 'reason'].map((name) => `status.conditions[0].${name}`),
    );
  });
});

describe('tables', () => {
  const cells = (rules: object, object: object) =>
    (rules as KindRules).cells!(object as ApiObject, { naming, release: defaultRelease, now: 0 }).slice(1, -1);
  it('hosts, addresses and ports of an ingress', () => {
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
  it('a class with parameters', () => {
    const spec = { controller: 'e.com/c', parameters: { apiGroup: 'g.com', kind: 'K', name: 'n', scope: 'Cluster' } };
    assert.deepEqual(cells(ingressClass, { metadata: {}, spec }), ['e.com/c', 'K.g.com/n']);
  });
  it('whom a policy is about', () => {
    assert.deepEqual(
      cells(networkPolicy, { metadata: {}, spec: { podSelector: { matchLabels: { b: '1', a: '2' } } } }),
      ['a=2,b=1'],
    );
    assert.deepEqual(cells(networkPolicy, { metadata: {}, spec: { podSelector: {} } }), ['<none>']);
    const podSelector = { matchExpressions: [{ key: 'a', operator: 'In', values: ['no label'] }] };
    assert.deepEqual(cells(networkPolicy, { metadata: {}, spec: { podSelector } }), ['<error>']);
  });
  it('which nodes a range is for', () => {
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
