import assert from 'node:assert/strict';
import { type ReleaseName, releaseOf } from '#base/release/release.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { servicesOf } from '../../../allocation/service-allocation.ts';
import { ServiceRanges } from '../../../allocation/service-ranges.ts';
import { kindRules } from '../../index.ts';
import { KindTester } from '../../testing/kind-tester.ts';

const ranges = new ServiceRanges({ clusterIpRanges: [], nodePortRange: [30000, 32767], reserveStatic: false });

function tester(identity: string, served: string, kind: string, name: ReleaseName): KindTester<ApiObject> {
  const release = releaseOf(name);
  const rules = kindRules({ ...servicesOf(ranges), release, eventTtlSeconds: 1 }).get(identity)!;
  return new KindTester(rules, served, kind, {}, release);
}

const pod = (more: object) => ({ spec: { containers: [{ name: 'c', image: 'i', ...more }] } });
const amounts = { resources: { limits: { cpu: '1' }, requests: { cpu: '2' } } };
const nothing = { env: [{ name: 'A', valueFrom: {} }] };
const at = 'spec.containers[0]';

describe('errors of pods by release', () => {
  const rows: readonly (readonly [release: ReleaseName, more: object, errors: readonly string[]])[] = [
    ['1.28', amounts, [`${at}.resources.requests: Invalid value: "2": must be less than or equal to cpu limit`]],
    ['1.29', amounts, [`${at}.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`]],
    [
      '1.34',
      nothing,
      [
        `${at}.env[0].valueFrom: Invalid value: "": must specify one of: \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\` or \`secretKeyRef\``,
      ],
    ],
    [
      '1.35',
      nothing,
      [
        `${at}.env[0].valueFrom: Invalid value: "": must specify one of: \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\`, \`secretKeyRef\` or \`fileKeyRef\``,
      ],
    ],
    ['1.37', { resizePolicy: [{ resourceName: 'cpu' }] }, [`${at}.resizePolicy: Required value`]],
    ['1.37', { resizePolicy: [{ restartPolicy: 'NotRequired' }] }, [`${at}.resizePolicy: Required value`]],
    [
      '1.37',
      { resizePolicy: [{ resourceName: 'disk', restartPolicy: 'NotRequired' }] },
      [`${at}.resizePolicy: Unsupported value: "disk": supported values: "cpu", "memory"`],
    ],
  ];
  for (const [release, more, errors] of rows)
    it(`${JSON.stringify(more)} in ${release}`, () => {
      assert.deepEqual(tester('core/pods', 'core.v1', 'Pod', release).errors(pod(more)), errors);
    });

  it('jobs say whether their selector was given, since 1.29', () => {
    const template = { spec: { ...pod({}).spec, restartPolicy: 'Never' } };
    const manual = (release: ReleaseName) => {
      const made = tester('batch/jobs', 'batch.v1', 'Job', release).created({ spec: { template } });
      return (made as { spec?: { manualSelector?: boolean } }).spec?.manualSelector;
    };
    assert.deepEqual([manual('1.28'), manual('1.29')], [undefined, false]);
  });
});
