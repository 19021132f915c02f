import assert from 'node:assert/strict';
import { naming, podWith, trying } from '../testing/try-plugin.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';

const flags = ['--default-not-ready-toleration-seconds=7', '--default-unreachable-toleration-seconds=9'];
const attempt = trying(defaultTolerationSeconds, { flags });

const notReady = { key: naming.key('node/not-ready'), operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 7 };
const unreachable = { ...notReady, key: naming.key('node/unreachable'), tolerationSeconds: 9 };
const own = (over: object) => ({ ...notReady, ...over });

const cases: readonly [string, object[], object[]][] = [
  ['nothing', [], [notReady, unreachable]],
  ['one of the taints for another time', [own({ tolerationSeconds: 1 })], [own({ tolerationSeconds: 1 }), unreachable]],
  [
    'one of the taints with another effect',
    [own({ effect: 'NoSchedule' })],
    [own({ effect: 'NoSchedule' }), notReady, unreachable],
  ],
  ['all taints', [{ operator: 'Exists' }], [{ operator: 'Exists' }]],
];

describe('DefaultTolerationSeconds', () => {
  for (const [what, tolerations, expected] of cases) {
    it(`adds the missing default tolerations to a pod that tolerates ${what}`, async () => {
      const { object } = await attempt({ object: podWith({ tolerations }) });
      assert.deepEqual(object.spec.tolerations, expected);
    });
  }
});
