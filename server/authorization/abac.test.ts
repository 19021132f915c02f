import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { ConfigError } from '#base/errors/config-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { type Attributes, resourceAttributes } from '../api/attributes.ts';
import { abacAuthorizer, readPolicy } from './abac.ts';

const naming = createNaming('orch');
const apiVersion = naming.apiVersion('abac.authorization', 'v1beta1');
const line = (spec: object) => JSON.stringify({ apiVersion, kind: 'Policy', spec });

describe('the ABAC authorizer', () => {
  let directory: string;
  let number = 0;
  before(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'abac-'));
  });
  after(() => rmSync(directory, { recursive: true }));
  const authorizer = (text: string) => {
    const file = path.join(directory, `policy-${number++}`);
    writeFileSync(file, text);
    return abacAuthorizer(file, naming);
  };
  const userOf = (name: string, ...groups: string[]) => ({ name, uid: '', groups, extra: {} });
  const carol = userOf('carol', 'system:authenticated');
  const anonymous = userOf('system:anonymous', 'system:unauthenticated');
  const about = (verb: string, resource: string, namespace = '', more: Partial<Attributes> = {}, user = carol) =>
    resourceAttributes(user, { verb, resource, namespace, ...more });
  const aboutPath = (verb: string, at: string, user = carol) => ({
    ...resourceAttributes(user, { verb }),
    isResource: false,
    path: at,
  });

  const cases: [policy: object, asked: Attributes, allowed: boolean][] = [
    [{ user: 'carol', namespace: '*', resource: 'configmaps', readonly: true }, about('get', 'configmaps', 'a'), true],
    [{ user: 'carol', namespace: '*', resource: 'configmaps', readonly: true }, about('watch', 'configmaps'), true],
    [
      { user: 'carol', namespace: '*', resource: 'configmaps', readonly: true },
      about('create', 'configmaps', 'a'),
      false,
    ],
    [
      { user: 'carol', namespace: '*', resource: 'configmaps', readonly: true },
      about('proxy', 'configmaps', 'a'),
      false,
    ],
    [{ user: 'carol', namespace: '*', resource: 'configmaps' }, about('get', 'secrets', 'a'), false],
    [
      { user: 'carol', namespace: '*', resource: 'configmaps' },
      about('get', 'configmaps', 'a', { group: 'apps' }),
      false,
    ],
    [{ user: 'carol', namespace: '*', resource: 'pods' }, about('get', 'pods', 'a', { subresource: 'log' }), true],
    [{ user: 'carol', namespace: '*', resource: 'pods/log' }, about('get', 'pods', 'a', { subresource: 'log' }), false],
    [
      { user: 'carol', namespace: 'a', resource: '*', apiGroup: '*' },
      about('brew', 'tea', 'a', { group: 'any' }),
      true,
    ],
    [{ user: 'carol', namespace: 'a', resource: '*', apiGroup: '*' }, about('get', 'pods'), false],
    [{ user: 'carol', resource: 'pods' }, about('get', 'pods'), true],
    [{ user: 'carol', resource: 'pods' }, about('get', 'pods', 'a'), false],
    [{ user: 'bob', namespace: '*', resource: '*' }, about('get', 'pods'), false],
    [{ user: 'carol', group: 'ops', namespace: '*', resource: 'pods' }, about('get', 'pods'), false],
    [
      { user: 'carol', group: 'ops', namespace: '*', resource: 'pods' },
      about('get', 'pods', '', {}, userOf('carol', 'ops')),
      true,
    ],
    [{ namespace: '*', resource: 'services' }, about('get', 'services'), false],
    [{ user: '*', namespace: '*', resource: 'pods' }, about('get', 'pods'), true],
    [{ user: '*', namespace: '*', resource: 'pods' }, about('get', 'pods', '', {}, anonymous), false],
    [{ group: '*', namespace: '*', resource: 'pods' }, about('get', 'pods', '', {}, anonymous), false],
    [{ user: 'carol', nonResourcePath: '/logs' }, aboutPath('get', '/logs'), true],
    [{ user: 'carol', nonResourcePath: '/logs' }, aboutPath('get', '/logs/'), false],
    [{ user: 'carol', nonResourcePath: '/logs', readonly: true }, aboutPath('post', '/logs'), false],
    [{ user: 'carol', nonResourcePath: '/api*', readonly: true }, aboutPath('list', '/apis/apps'), true],
    [{ user: 'carol', nonResourcePath: '*' }, aboutPath('post', '/x'), true],
    [{ user: 'carol', nonResourcePath: '***' }, aboutPath('post', '/x'), true],
    [{ user: 'carol', nonResourcePath: '/api**' }, aboutPath('post', '/apis'), true],
    [{ user: 'carol', nonResourcePath: '/api/**' }, aboutPath('post', '/apis'), false],
    [{ user: 'carol', nonResourcePath: '/a**b' }, aboutPath('post', '/a*b'), false],
    [{ user: 'bob', group: '*', namespace: '*', resource: 'pods' }, about('get', 'pods'), true],
    [{ user: '*', group: 'ops', namespace: '*', resource: 'pods' }, about('get', 'pods'), true],
    [{ user: 'bob', group: '*', namespace: '*', resource: 'pods' }, about('get', 'pods', '', {}, anonymous), false],
    [{ user: 'carol', nonResourcePath: '*' }, about('get', 'pods'), false],
    [{ user: 'carol', namespace: '*', resource: '*' }, aboutPath('get', ''), false],
    [{ user: '*', nonResourcePath: '/healthz' }, aboutPath('get', '/healthz', anonymous), false],
  ];
  for (const [policy, asked, allowed] of cases)
    it(`${JSON.stringify(policy)} ${allowed ? 'allows' : 'does not allow'} ${asked.verb} ${asked.resource}${asked.path}`, async () => {
      const decision = await authorizer(line(policy)).authorize(asked);
      assert.deepEqual(
        decision,
        allowed ? { verdict: 'allow', reason: '' } : { verdict: 'no-opinion', reason: 'No policy matched.' },
      );
    });

  const older: [policy: object, asked: Attributes, allowed: boolean][] = [
    [{ user: 'carol', readonly: true, resource: 'pods', ns: 'x' }, about('get', 'pods', 'y'), true],
    [{ user: 'carol', readonly: true, resource: 'pods' }, about('delete', 'pods', 'y'), false],
    [{ user: 'carol' }, about('delete', 'deployments', 'x', { group: 'apps' }), true],
    [{ user: 'carol' }, aboutPath('get', '/x'), true],
    [{ user: 'carol', namespace: 'a' }, aboutPath('get', '/x'), false],
    [{ resource: 'events' }, about('create', 'events', 'x'), true],
    [{ resource: 'events' }, about('create', 'events', 'x', {}, anonymous), false],
  ];
  for (const [policy, asked, allowed] of older)
    it(`${JSON.stringify(policy)} in the old form ${allowed ? 'allows' : 'does not allow'} ${asked.verb} ${asked.resource}${asked.path}`, async () =>
      assert.equal(
        (await authorizer(JSON.stringify(policy)).authorize(asked)).verdict,
        allowed ? 'allow' : 'no-opinion',
      ));

  it('lists the permissions of a user in a namespace', () => {
    const policy = authorizer(
      [
        '# a comment',
        '',
        line({ user: 'carol', namespace: '*', resource: 'configmaps', readonly: true }),
        line({ user: 'carol', nonResourcePath: '/logs' }),
        line({ user: 'carol', namespace: 'a', resource: '*', apiGroup: 'apps', nonResourcePath: '*' }),
        line({ user: 'bob', namespace: '*', resource: '*' }),
      ].join('\n'),
    );
    assert.deepEqual(policy.rules(carol, 'a'), {
      resourceRules: [
        { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['configmaps'] },
        { verbs: ['*'], apiGroups: ['apps'], resources: ['*'] },
      ],
      nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
      incomplete: false,
      errors: [],
    });
    assert.equal(policy.rules(carol, 'b').resourceRules.length, 1);
  });

  it('reports the line that it cannot read', () => {
    for (const bad of [
      '{',
      '[]',
      '"x"',
      '{"apiVersion":"x/v1","kind":"Policy"}',
      line({ user: 5 }),
      line({ readonly: 'true' }),
    ])
      assert.throws(
        () => authorizer(`# first\n${bad}\n`),
        (error) => error instanceof ConfigError && error.message.includes('line 2'),
      );
    assert.throws(() => abacAuthorizer(path.join(directory, 'none'), naming), ConfigError);
  });

  it('accepts or refuses any line without another error', () => {
    const some = fc.oneof(
      fc.string(),
      fc.json(),
      fc
        .dictionary(fc.constantFrom('user', 'group', 'resource', '__proto__'), fc.jsonValue())
        .map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(some, (text) => {
        try {
          readPolicy(text, 'here', naming);
        } catch (error) {
          assert.ok(error instanceof ConfigError);
        }
      }),
    );
  });
});
