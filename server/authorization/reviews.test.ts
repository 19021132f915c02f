import assert from 'node:assert/strict';
import { StatusError } from '#base/errors/status-error.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import type { LocalSubjectAccessReview, SubjectAccessReview } from '#schema/generated/authorization.v1.ts';
import type { Attributes } from '../api/attributes.ts';
import type { Decision } from './authorizer.ts';
import {
  type Reviewer,
  reviewLocalSubjectAccess,
  reviewOwnAccess,
  reviewOwnRules,
  reviewSubjectAccess,
} from './reviews.ts';

const naming = createNaming('orch');
const group = naming.group('authorization');
const jane = { name: 'jane', uid: 'u', groups: ['g'], extra: {} };

describe('access reviews', () => {
  let asked: Attributes[];
  let decision: Decision;
  const reviewer: Reviewer = {
    async decide(attributes) {
      asked.push(attributes);
      return decision;
    },
    rules: async () => ({
      resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
      nonResourceRules: [],
      incomplete: true,
      errors: ['a', 'b'],
    }),
  };
  beforeEach(() => {
    asked = [];
    decision = { verdict: 'no-opinion', reason: '' };
  });
  const resourceAttributes = { verb: 'list', resource: 'pods', namespace: 'ns' };

  const statuses: [Decision, object][] = [
    [
      { verdict: 'allow', reason: 'because' },
      { allowed: true, reason: 'because' },
    ],
    [{ verdict: 'allow', reason: '' }, { allowed: true }],
    [{ verdict: 'no-opinion', reason: '' }, { allowed: false }],
    [
      { verdict: 'no-opinion', reason: '', error: 'broken' },
      { allowed: false, evaluationError: 'broken' },
    ],
    [
      { verdict: 'deny', reason: 'never' },
      { allowed: false, denied: true, reason: 'never' },
    ],
  ];
  for (const [given, status] of statuses)
    it(`return ${JSON.stringify(given)} as ${JSON.stringify(status)}`, async () => {
      decision = given;
      const spec = { user: 'x', resourceAttributes };
      const made = await reviewSubjectAccess(reviewer, { metadata: {}, spec, status: { allowed: true } }, naming);
      assert.deepEqual(made, { metadata: { creationTimestamp: null }, spec, status });
    });

  it('check the user that they name', async () => {
    const spec = { user: 'x', uid: 'u', groups: ['a'], extra: { K: ['v'], none: null as unknown as string[] } };
    await reviewSubjectAccess(reviewer, { metadata: {}, spec: { ...spec, resourceAttributes } }, naming);
    const { user, verb, resource, namespace, isResource, name } = asked[0]!;
    assert.deepEqual(user, { name: 'x', uid: 'u', groups: ['a'], extra: { K: ['v'], none: [] } });
    assert.deepEqual(
      { verb, resource, namespace, isResource, name },
      { ...resourceAttributes, isResource: true, name: '' },
    );
  });

  it('check the caller if they are SelfSubjectAccessReviews', async () => {
    const spec = { nonResourceAttributes: { path: '/metrics', verb: 'get' } };
    await reviewOwnAccess(reviewer, { metadata: {}, spec }, jane, naming);
    assert.equal(asked[0]?.user, jane);
    assert.deepEqual([asked[0]?.isResource, asked[0]?.path, asked[0]?.verb], [false, '/metrics', 'get']);
  });

  it('do not return the namespace of a SelfSubjectRulesReview', async () => {
    const made = await reviewOwnRules(reviewer, { metadata: {}, spec: { namespace: 'ns' } }, jane);
    assert.deepEqual(made.spec, {});
    assert.deepEqual(made.status, {
      resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }],
      nonResourceRules: [],
      incomplete: true,
      evaluationError: '[a, b]',
    });
    for (const spec of [{}, { namespace: '' }])
      await assert.rejects(
        reviewOwnRules(reviewer, { metadata: {}, spec }, jane),
        (error) => error instanceof StatusError && error.code === 400 && error.message === 'no namespace on request',
      );
  });

  const nothing =
    'spec.resourceAttributes: Invalid value: "null": exactly one of nonResourceAttributes or resourceAttributes must be specified';
  const missingUser = 'spec.user: Invalid value: "": at least one of user or group must be specified';
  const both =
    'spec.nonResourceAttributes: Invalid value: authorization.NonResourceAttributes{Path:"/x", Verb:"get"}: cannot be specified in combination with resourceAttributes';
  const path = { path: '/x', verb: 'get' };
  const invalid: [review: Partial<SubjectAccessReview>, message: string | RegExp][] = [
    [{}, `[${nothing}, ${missingUser}]`],
    [{ spec: {} }, `[${nothing}, ${missingUser}]`],
    [{ spec: { user: 'x' } }, nothing],
    [{ spec: { resourceAttributes } }, missingUser],
    [{ spec: { user: '', groups: [], resourceAttributes } }, missingUser],
    [{ spec: { user: 'x', resourceAttributes, nonResourceAttributes: path } }, both],
    [{ spec: { resourceAttributes, nonResourceAttributes: path } }, `[${both}, ${missingUser}]`],
    [
      { metadata: { name: 'x' }, spec: { user: 'x', resourceAttributes } },
      /metadata: Invalid value: .*: must be empty$/,
    ],
    [{ metadata: { labels: { a: 'b' } }, spec: { user: 'x', resourceAttributes } }, /must be empty$/],
    [
      { metadata: { creationTimestamp: '2020-01-01T00:00:00Z' }, spec: { user: 'x', resourceAttributes } },
      /must be empty$/,
    ],
  ];
  for (const [review, message] of invalid)
    it(`refuse ${JSON.stringify(review)}`, () =>
      assert.rejects(
        reviewSubjectAccess(reviewer, { metadata: {}, ...review } as SubjectAccessReview, naming),
        ({ status, code }: StatusError) => {
          assert.equal(code, 422);
          assert.equal(status.details?.group, group);
          assert.equal(status.details?.kind, undefined);
          const prefix = `.${group} "" is invalid: `;
          if (message instanceof RegExp) assert.match(status.message ?? '', message);
          else assert.equal(status.message, prefix + message);
          return true;
        },
      ));

  it('in a namespace check this namespace only', async () => {
    const spec = { user: 'x', resourceAttributes };
    const local = (change: object) =>
      reviewLocalSubjectAccess(
        reviewer,
        { metadata: {}, spec: { ...spec, ...change } } as LocalSubjectAccessReview,
        'ns',
        naming,
      );
    assert.deepEqual((await local({})).metadata, { creationTimestamp: null, namespace: 'ns' });
    for (const [change, message] of [
      [{ resourceAttributes: { ...resourceAttributes, namespace: 'other' } }, /must match metadata.namespace/],
      [{ resourceAttributes: undefined, nonResourceAttributes: path }, /disallowed on this kind of request/],
    ] as const)
      await assert.rejects(local(change), (error) => error instanceof StatusError && message.test(error.message));
  });
});
