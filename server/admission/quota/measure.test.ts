import assert from 'node:assert/strict';
import type { ResourceQuota } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { evaluators } from '#schema/quota/evaluators.ts';
import { writeUsage } from '#schema/values/usage.ts';
import { naming, podWith, requestOf } from '../testing/try-plugin.ts';
import type { LimitedResource } from './limited-resources.ts';
import { measure } from './measure.ts';

type Amounts = Record<string, string>;

function quota(name: string, hard: Amounts, used: Amounts, spec: object = {}): ResourceQuota {
  return { metadata: { name }, spec, status: { hard, used } };
}

const evaluatorOf = evaluators(naming);
const asking = (resources: object, more: object = {}) =>
  podWith({ containers: [{ name: 'c', image: 'i', resources }], ...more });
const service = (spec: object) => ({ metadata: { name: 's' }, spec });
const scoped = (...scopes: string[]) => ({ scopes });
const inClass = (operator: string, ...values: string[]) => ({
  scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator, values }] },
});

interface Case {
  readonly what: string;
  readonly quotas: readonly ResourceQuota[];
  readonly resource?: string;
  readonly group?: string;
  readonly object: object;
  readonly old?: object;
  readonly limited?: readonly LimitedResource[];
  /** Charges by quota, or a part of the refusal. */
  readonly expect: Record<string, Amounts> | RegExp;
}

const gold = `gold.${naming.domain('storageclass.storage')}/requests.storage`;
const claim = (storage: string, storageClassName?: string) => ({
  metadata: { name: 'c' },
  spec: { resources: { requests: { storage } }, ...(storageClassName && { storageClassName }) },
});

const cases: readonly Case[] = [
  { what: 'no quota', quotas: [], object: podWith(), expect: {} },
  { what: 'a quota without status', quotas: [{ metadata: { name: 'q' } }], object: podWith(), expect: {} },
  {
    what: 'requests and limits under all names of a resource',
    quotas: [
      quota(
        'q',
        { cpu: '1', 'requests.cpu': '1', 'limits.memory': '1Gi', pods: '3', 'count/pods': '9' },
        { cpu: '0', 'requests.cpu': '100m', 'limits.memory': '0', pods: '1', 'count/pods': '1' },
      ),
    ],
    object: asking({ requests: { cpu: '250m' }, limits: { memory: '1Mi' } }),
    expect: { q: { cpu: '250m', 'requests.cpu': '250m', 'limits.memory': '1Mi', pods: '1', 'count/pods': '1' } },
  },
  {
    what: 'the maximum of init containers and containers, plus overhead',
    quotas: [quota('q', { 'requests.cpu': '9' }, { 'requests.cpu': '0' })],
    object: asking(
      { requests: { cpu: '1' } },
      { initContainers: [{ name: 'i', resources: { requests: { cpu: '3' } } }], overhead: { cpu: '500m' } },
    ),
    expect: { q: { 'requests.cpu': '3500m' } },
  },
  {
    what: 'extended resources and huge pages',
    quotas: [
      quota(
        'q',
        { 'requests.example.com/gpu': '4', 'requests.hugepages-2Mi': '8Mi' },
        { 'requests.example.com/gpu': '0', 'requests.hugepages-2Mi': '0' },
      ),
    ],
    object: asking({ requests: { cpu: '1', 'example.com/gpu': '2', 'hugepages-2Mi': '4Mi' } }),
    expect: { q: { 'requests.example.com/gpu': '2', 'requests.hugepages-2Mi': '4Mi' } },
  },
  {
    what: 'a container without the resources that the quota requires',
    quotas: [quota('q', { 'requests.cpu': '1', 'limits.memory': '1' }, { 'requests.cpu': '0', 'limits.memory': '0' })],
    object: podWith(),
    expect: /failed quota: q: must specify limits.memory for: c; requests.cpu for: c/,
  },
  {
    what: 'a quota without known usage',
    quotas: [quota('q', { pods: '1' }, {})],
    object: podWith(),
    expect: /status unknown for quota: q, resources: pods/,
  },
  {
    what: 'one of two quotas that is exceeded',
    quotas: [quota('a', { pods: '9' }, { pods: '1' }), quota('b', { pods: '1' }, { pods: '1' })],
    object: podWith(),
    expect: /exceeded quota: b, requested: pods=1, used: pods=1, limited: pods=1/,
  },
  {
    what: 'scopes',
    quotas: [
      quota('be', { pods: '9' }, { pods: '0' }, scoped('BestEffort')),
      quota('nbe', { pods: '9' }, { pods: '0' }, scoped('NotBestEffort')),
      quota('t', { pods: '9' }, { pods: '0' }, scoped('Terminating')),
      quota('nt', { pods: '9' }, { pods: '0' }, scoped('NotTerminating', 'BestEffort')),
      quota('x', { pods: '9' }, { pods: '0' }, scoped('CrossNamespacePodAffinity')),
      quota('?', { pods: '9' }, { pods: '0' }, scoped('Unheard')),
    ],
    object: podWith(),
    expect: { be: { pods: '1' }, nt: { pods: '1' } },
  },
  {
    what: 'scopes of priority classes',
    quotas: [
      quota('in', { pods: '9' }, { pods: '0' }, inClass('In', 'high', 'low')),
      quota('not', { pods: '9' }, { pods: '0' }, inClass('NotIn', 'high')),
      quota('any', { pods: '9' }, { pods: '0' }, inClass('Exists')),
      quota('none', { pods: '9' }, { pods: '0' }, inClass('DoesNotExist')),
    ],
    object: podWith({ priorityClassName: 'high' }),
    expect: { in: { pods: '1' }, any: { pods: '1' } },
  },
  {
    what: 'counts of other kinds, under both names',
    quotas: [quota('q', { configmaps: '2', 'count/configmaps': '2' }, { configmaps: '0', 'count/configmaps': '0' })],
    resource: 'configmaps',
    object: { metadata: { name: 'c' } },
    expect: { q: { configmaps: '1', 'count/configmaps': '1' } },
  },
  {
    what: 'counts of kinds in groups',
    quotas: [quota('q', { 'count/deployments.apps': '2', deployments: '0' }, { 'count/deployments.apps': '0' })],
    group: 'apps',
    resource: 'deployments',
    object: { metadata: { name: 'd' } },
    expect: { q: { 'count/deployments.apps': '1' } },
  },
  {
    what: 'the increase of an updated service only',
    quotas: [
      quota(
        'q',
        { services: '1', 'services.nodeports': '4', 'services.loadbalancers': '1' },
        { services: '1', 'services.nodeports': '0', 'services.loadbalancers': '0' },
      ),
    ],
    resource: 'services',
    object: service({ type: 'LoadBalancer', ports: [{ port: 1 }, { port: 2 }] }),
    old: service({ type: 'ClusterIP', ports: [{ port: 1 }] }),
    expect: { q: { 'services.nodeports': '2', 'services.loadbalancers': '1' } },
  },
  {
    what: 'a decrease',
    quotas: [quota('q', { services: '1', 'services.nodeports': '0' }, { services: '1', 'services.nodeports': '9' })],
    resource: 'services',
    object: service({ type: 'ClusterIP', ports: [{ port: 1 }] }),
    old: service({ type: 'NodePort', ports: [{ port: 1 }] }),
    expect: {},
  },
  {
    what: 'claims of a storage class',
    quotas: [quota('q', { [gold]: '5Gi', 'requests.storage': '9Gi' }, { [gold]: '1Gi', 'requests.storage': '1Gi' })],
    resource: 'persistentvolumeclaims',
    object: claim('2Gi', 'gold'),
    expect: { q: { [gold]: '2Gi', 'requests.storage': '2Gi' } },
  },
  {
    what: 'a claim that is enlarged',
    quotas: [quota('q', { 'requests.storage': '3Gi' }, { 'requests.storage': '2Gi' })],
    resource: 'persistentvolumeclaims',
    object: claim('4Gi'),
    old: claim('2Gi'),
    expect:
      /exceeded quota: q, requested: requests.storage=2Gi, used: requests.storage=2Gi, limited: requests.storage=3Gi/,
  },
  {
    what: 'a limited resource without a quota',
    quotas: [],
    resource: 'services',
    object: service({ type: 'LoadBalancer' }),
    limited: [{ apiGroup: '', resource: 'services', matchContains: ['loadbalancers'], matchScopes: [] }],
    expect: /insufficient quota to consume: services.loadbalancers/,
  },
  {
    what: 'a service that uses nothing of a limited resource',
    quotas: [],
    resource: 'services',
    object: service({ type: 'NodePort', ports: [] }),
    limited: [{ apiGroup: '', resource: 'services', matchContains: ['nodeports'], matchScopes: [] }],
    expect: {},
  },
  {
    what: 'a limited scope without a quota',
    quotas: [],
    object: podWith({ priorityClassName: 'high' }),
    limited: [
      {
        apiGroup: '',
        resource: 'pods',
        matchContains: [],
        matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }],
      },
    ],
    expect: /insufficient quota to match these scopes: \[\{PriorityClass In \[high\]\}\]/,
  },
];

describe('measure for resource quotas', () => {
  for (const { what, quotas, resource = 'pods', group = '', object, old, limited = [], expect } of cases) {
    it(what, () => {
      const { served } = requestOf({ group, resource, object });
      const demand = {
        evaluator: evaluatorOf(served),
        object: object as ApiObject,
        oldObject: old as ApiObject | undefined,
        limited,
      };
      if (expect instanceof RegExp) {
        assert.throws(() => measure(quotas, demand, new Map()), expect);
        return;
      }
      const charges = [...measure(quotas, demand, new Map())].map(([name, usage]) => [name, writeUsage(usage)]);
      assert.deepEqual(Object.fromEntries(charges), expect);
      // A write that starts again is not charged again.
      const again = measure(quotas, demand, measure(quotas, demand, new Map()));
      assert.equal(again.size, 0);
    });
  }
});
