import assert from 'node:assert/strict';
import { FieldPath } from '#base/errors/field-error.ts';
import type { PodSpec } from '#schema/generated/core.v1.ts';
import { qualityOfService } from '#schema/quota/quality-of-service.ts';
import { validatePodClaims } from './resource-claims.ts';

const texts = (errors: readonly { readonly text: string }[]) => errors.map(({ text }) => text);

describe('resource claims and pod-level resources', () => {
  const one = { name: 'a', resourceClaimName: 'x' };
  const claims: readonly (readonly [claims: readonly object[], used: readonly object[], errors: readonly string[]])[] =
    [
      [[one], [{ name: 'a' }], []],
      [
        [one],
        [
          { name: 'a', request: 'r' },
          { name: 'a', request: 's' },
        ],
        [],
      ],
      [[one, one], [], ['s.resourceClaims[1].name: Duplicate value: "a"']],
      [
        [{ name: 'a' }],
        [],
        [
          's.resourceClaims[0]: Invalid value: {"name":"a"}: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
        ],
      ],
      [
        [],
        [{ name: 'a' }],
        [
          's.containers[0].resources.claims[0]: Not found: "a": must be one of the names in pod.spec.resourceClaims which is empty',
        ],
      ],
      [[one], [{ name: 'a' }, { name: 'a' }], ['s.containers[0].resources.claims[1]: Duplicate value: "a"']],
      [
        [one],
        [{ name: 'a', request: 'r' }, { name: 'a' }],
        ['s.containers[0].resources.claims[1]: Duplicate value: "a"'],
      ],
    ];
  for (const [resourceClaims, used, errors] of claims)
    it(`claims ${JSON.stringify(resourceClaims)} in a pod and ${JSON.stringify(used)} in a container are validated`, () => {
      const spec = { resourceClaims, containers: [{ name: 'c', resources: { claims: used } }] };
      assert.deepEqual(texts(validatePodClaims(spec as unknown as PodSpec, new FieldPath('s'))), errors);
    });

  it('pod-level resources determine the quality of service', () => {
    const whole = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } };
    const containers = [{ name: 'c', resources: { requests: { cpu: '1' } } }];
    assert.equal(qualityOfService({ containers, resources: whole }), 'Guaranteed');
    assert.equal(qualityOfService({ containers }), 'Burstable');
  });
});
