import assert from 'node:assert/strict';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { createNaming } from '#base/naming/create-naming.ts';
import { readText } from '#program/operator-files/read-file.ts';
import { type Attributes, resourceAttributes } from '../../api/attributes.ts';
import { auditPolicyOf } from './policy-file.ts';

const naming = createNaming('orch');
const apiVersion = naming.apiVersion('audit', 'v1');
const jane = { name: 'jane', uid: '', groups: ['dev', 'ops'], extra: {} };

const parse = (text: string) => auditPolicyOf(readText(text, 'policy.yaml'), naming);

const policyOf = (rules: object[], rest: object = {}) =>
  parse(stringify({ apiVersion, kind: 'Policy', rules, ...rest }));

type About = Partial<Omit<Attributes, 'user'>>;
const resource = (about: About): Attributes => resourceAttributes(jane, { verb: 'get', version: 'v1', ...about });
const pod = resource({ resource: 'pods', namespace: 'a', name: 'web' });
const log = resource({ resource: 'pods', subresource: 'log', namespace: 'a', name: 'web' });
const scale = resource({ group: 'apps', resource: 'deployments', subresource: 'scale', namespace: 'a', name: 'web' });
const node = resource({ resource: 'nodes', name: 'n1', verb: 'list' });
const path = (to: string): Attributes => ({ ...resource({ path: to }), isResource: false });

describe('audit policy', () => {
  const of = (...resources: object[]) => ({ resources });
  const matching: [rule: object, requests: [request: Attributes, matches: boolean][]][] = [
    [
      {},
      [
        [pod, true],
        [path('/healthz'), true],
      ],
    ],
    [{ users: ['jane'] }, [[pod, true]]],
    [{ users: ['joe'] }, [[pod, false]]],
    [{ userGroups: ['admins', 'ops'] }, [[pod, true]]],
    [{ userGroups: ['admins'] }, [[pod, false]]],
    [
      { verbs: ['get', 'watch'] },
      [
        [pod, true],
        [node, false],
        [path('/x'), true],
      ],
    ],
    [
      { namespaces: ['a'] },
      [
        [pod, true],
        [node, false],
        [path('/x'), false],
      ],
    ],
    [
      { namespaces: [''] },
      [
        [pod, false],
        [node, true],
        [path('/x'), false],
      ],
    ],
    [
      of({ resources: ['pods'] }),
      [
        [pod, true],
        [log, false],
        [node, false],
        [path('/x'), false],
      ],
    ],
    [
      of({ resources: ['pods/log'] }),
      [
        [pod, false],
        [log, true],
      ],
    ],
    [
      of({ resources: ['pods/*'] }),
      [
        [pod, true],
        [log, true],
        [node, false],
      ],
    ],
    [
      of({ resources: ['*/log'] }),
      [
        [pod, false],
        [log, true],
        [scale, false],
      ],
    ],
    [
      of({ resources: ['*'] }),
      [
        [pod, true],
        [log, true],
        [scale, false],
      ],
    ],
    [
      of({ group: 'apps', resources: ['*/scale'] }),
      [
        [scale, true],
        [log, false],
      ],
    ],
    [
      of({ group: 'apps' }),
      [
        [scale, true],
        [pod, false],
      ],
    ],
    [
      of({ group: '' }),
      [
        [pod, true],
        [log, true],
        [scale, false],
      ],
    ],
    [
      of({ group: 'batch' }, { resources: ['nodes'] }),
      [
        [node, true],
        [pod, false],
      ],
    ],
    [
      of({ resources: ['pods'], resourceNames: ['web'] }),
      [
        [pod, true],
        [node, false],
      ],
    ],
    [of({ resources: ['pods'], resourceNames: ['db'] }), [[pod, false]]],
    [{ ...of({ resources: ['pods'] }), namespaces: ['b'] }, [[pod, false]]],
    [
      { nonResourceURLs: ['/healthz'] },
      [
        [path('/healthz'), true],
        [path('/healthz/x'), false],
        [pod, false],
      ],
    ],
    [
      { nonResourceURLs: ['/healthz*'] },
      [
        [path('/healthz/x'), true],
        [path('/health'), false],
      ],
    ],
    [
      { nonResourceURLs: ['*'] },
      [
        [path('/x'), true],
        [pod, false],
      ],
    ],
  ];
  for (const [rule, requests] of matching)
    it(`matches by ${JSON.stringify(rule)}`, () => {
      const policy = policyOf([{ level: 'Metadata', ...rule }]);
      for (const [request, matches] of requests)
        assert.equal(policy.decide(request) !== undefined, matches, JSON.stringify(request));
    });

  it('applies the first rule that matches, even if its level is None', () => {
    const rules = [{ level: 'None', users: ['jane'] }, { level: 'Request' }];
    assert.equal(policyOf(rules).decide(pod)?.level, 'None');
    assert.equal(policyOf(rules.toReversed()).decide(pod)?.level, 'Request');
  });

  it('combines the omitted stages of policy and rule, and lets the rule decide about managed fields', () => {
    const rest = { omitStages: ['RequestReceived'], omitManagedFields: true };
    const own = policyOf([{ level: 'Request', omitStages: ['Panic'], omitManagedFields: false }], rest).decide(pod)!;
    assert.deepEqual([...own.omitStages], ['RequestReceived', 'Panic']);
    assert.equal(own.omitManagedFields, false);
    assert.equal(policyOf([{ level: 'Request' }], rest).decide(pod)?.omitManagedFields, true);
    assert.equal(policyOf([{ level: 'Request' }]).decide(pod)?.omitManagedFields, false);
  });

  it('does not use rules after a rule that matches everything', () => {
    const word = fc.constantFrom('', 'a', 'pods', 'apps', 'jane', 'dev', 'get', '*', '/x');
    const words = fc.array(word, { maxLength: 2 });
    const rule = fc.record({ users: words, userGroups: words, verbs: words, namespaces: words });
    fc.assert(
      fc.property(rule, fc.constantFrom(pod, node, log, path('/x')), (some, request) => {
        const all = policyOf([{ level: 'Metadata' }, { level: 'RequestResponse', ...some }]);
        assert.equal(all.decide(request)?.level, 'Metadata');
      }),
    );
  });

  const bad: [what: string, text: string, message: RegExp][] = [
    ['text that is not YAML', 'a: [', /neither YAML nor JSON/],
    ['a value that is not an object', '- a', /:1:1: it must be an object/],
    ['another kind', `apiVersion: ${apiVersion}\nkind: Pod`, /:2:7: kind must be "Policy"/],
    ['an old version', `apiVersion: ${apiVersion}beta1\nkind: Policy`, /:1:13: apiVersion must be "audit/],
    ['no rules', stringify({ apiVersion, kind: 'Policy' }), /rules is missing/],
    ['empty rules', stringify({ apiVersion, kind: 'Policy', rules: [] }), /rules has no rules/],
  ];
  for (const [what, text, message] of bad)
    it(`is refused with ${what}`, () => {
      assert.throws(() => parse(text), { name: 'ConfigError', message });
    });

  const badRules: [rule: object, message: RegExp][] = [
    [{}, /:4:5: rules\[0\]\.level is missing/],
    [{ level: 'All' }, /:4:12: rules\[0\]\.level must be one of None, Metadata, Request, RequestResponse/],
    [{ level: 'None', user: ['a'] }, /:5:5: rules\[0\]\.user is not known: did you mean users\?/],
    [{ level: 'None', users: 'a' }, /:5:12: rules\[0\]\.users must be a list/],
    [{ level: 'None', omitStages: ['Never'] }, /:6:9: rules\[0\]\.omitStages\[0\] must be one of/],
    [{ level: 'None', nonResourceURLs: ['x'] }, /nonResourceURLs\[0\].*begins with "\/"/],
    [{ level: 'None', nonResourceURLs: ['/a*b'] }, /only the last character/],
    [{ level: 'None', nonResourceURLs: ['/a'], namespaces: ['a'] }, /not about both/],
    [{ level: 'None', ...of({ group: 'Apps' }) }, /resources\[0\]\.group/],
    [{ level: 'None', ...of({ resourceNames: ['a'] }) }, /resourceNames.*names need/],
  ];
  for (const [rule, message] of badRules)
    it(`refuses the rule ${JSON.stringify(rule)}`, () => {
      assert.throws(() => policyOf([rule]), { name: 'ConfigError', message });
    });
});
