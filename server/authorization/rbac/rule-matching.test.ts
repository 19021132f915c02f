import assert from 'node:assert/strict';
import type { PolicyRule } from '#schema/generated/rbac.authorization.v1.ts';
import { type Attributes, resourceAttributes } from '../../api/attributes.ts';
import { ruleAllows } from './rule-matching.ts';

const about = (text: string): Attributes => {
  const [verb = '', group = '', full = '', name = ''] = text.split(' ');
  const [resource = '', subresource = ''] = full.split('/');
  return resourceAttributes(undefined, { verb, group: group === 'core' ? '' : group, resource, subresource, name });
};
const path = (verb: string, asked: string): Attributes => ({
  ...resourceAttributes(undefined, { verb }),
  isResource: false,
  path: asked,
});

describe('ruleAllows', () => {
  const pods: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };
  const cases: [rule: PolicyRule, asked: Attributes, allowed: boolean][] = [
    [pods, about('get core pods'), true],
    [pods, about('get core pods p'), true],
    [pods, about('watch core pods'), false],
    [pods, about('get apps pods'), false],
    [pods, about('get core pods/log p'), false],
    [{ ...pods, verbs: ['*'] }, about('anything core pods'), true],
    [{ ...pods, verbs: null }, about('get core pods'), false],
    [{ ...pods, apiGroups: ['*'] }, about('get apps pods'), true],
    [{ ...pods, resources: ['*'] }, about('get core pods/log p'), true],
    [{ ...pods, resources: ['pods/log'] }, about('get core pods/log p'), true],
    [{ ...pods, resources: ['*/scale'] }, about('get core replicationcontrollers/scale r'), true],
    [{ ...pods, resources: ['*/scale'] }, about('get core replicationcontrollers r'), false],
    [{ ...pods, resources: ['pods/*'] }, about('get core pods/log p'), false],
    [{ ...pods, resourceNames: ['a', 'b'] }, about('get core pods b'), true],
    [{ ...pods, resourceNames: ['a', 'b'] }, about('get core pods c'), false],
    [{ ...pods, resourceNames: ['a', 'b'] }, about('list core pods'), false],
    [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }, path('get', '/metrics'), true],
    [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }, path('get', '/metrics/'), false],
    [{ verbs: ['get'], nonResourceURLs: ['/metrics'] }, path('post', '/metrics'), false],
    [{ verbs: ['get'], nonResourceURLs: ['/healthz/*'] }, path('get', '/healthz/etcd'), true],
    [{ verbs: ['get'], nonResourceURLs: ['/healthz/*'] }, path('get', '/healthz'), false],
    [{ verbs: ['*'], nonResourceURLs: ['*'] }, path('put', '/no/such'), true],
    [{ verbs: ['*'], nonResourceURLs: ['*'] }, about('get core pods'), false],
    [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, path('get', '/version'), false],
  ];
  for (const [rule, asked, allowed] of cases) {
    const what = asked.isResource ? `${asked.resource}/${asked.subresource} ${asked.name}` : asked.path;
    it(`${allowed ? 'allows' : 'does not allow'} ${asked.verb} ${what} by ${JSON.stringify(rule)}`, () => {
      assert.equal(ruleAllows(rule, asked), allowed);
    });
  }
});
