import assert from 'node:assert/strict';
import type { PodSpec } from '#schema/generated/core.v1.ts';
import { naming } from '../testing/try-plugin.ts';
import { createEvaluate } from './evaluate.ts';
import type { Level } from './policy.ts';

const evaluate = createEvaluate(naming);
const good = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
const container = { name: 'c', image: 'i', securityContext: good };

function spec(over: object = {}, inContainer: object = {}, inPod: object = {}): PodSpec {
  return {
    containers: [{ ...container, securityContext: { ...good, ...inContainer } }],
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' }, ...inPod },
    ...over,
  } as PodSpec;
}

const LATEST = Number.POSITIVE_INFINITY;
const appArmor = { [naming.key('container.apparmor.security.beta/c')]: 'unconfined' };
const seccomp = { [naming.key('seccomp.security.alpha/pod')]: 'unconfined' };

/** Level, version, pod, annotations, reasons. */
const cases: readonly [string, Level, number, PodSpec, Record<string, string>, string[]][] = [
  ['a good pod', 'restricted', LATEST, spec(), {}, []],
  ['privileged level', 'privileged', LATEST, spec({ hostNetwork: true }), {}, []],
  ['host namespaces', 'baseline', LATEST, spec({ hostPID: true }), {}, ['host namespaces']],
  ['AppArmor', 'baseline', LATEST, spec(), appArmor, ['forbidden AppArmor profile']],
  ['procMount', 'baseline', LATEST, spec({}, { procMount: 'Unmasked' }), {}, ['procMount']],
  ['sysctls', 'baseline', LATEST, spec({}, {}, { sysctls: [{ name: 'a', value: '1' }] }), {}, ['forbidden sysctls']],
  ['host process', 'baseline', LATEST, spec({}, { windowsOptions: { hostProcess: true } }), {}, ['hostProcess']],
  ['a seccomp annotation before 1.19', 'baseline', 18, spec(), seccomp, ['seccompProfile']],
  ['a seccomp annotation since 1.19', 'baseline', 19, spec(), seccomp, []],
  [
    'a seccomp field since 1.19',
    'baseline',
    19,
    spec({}, { seccompProfile: { type: 'Unconfined' } }),
    {},
    ['seccompProfile'],
  ],
  [
    'a restricted control that replaces a baseline control',
    'restricted',
    LATEST,
    spec({ volumes: [{ name: 'v', hostPath: { path: '/' } }] }),
    {},
    ['restricted volume types'],
  ],
  [
    'a baseline control before the release of the restricted control',
    'restricted',
    21,
    spec({}, { capabilities: { add: ['SYS_ADMIN'] } }),
    {},
    ['non-default capabilities'],
  ],
  ['root before 1.23', 'restricted', 22, spec({}, { runAsUser: 0 }), {}, []],
  ['root since 1.23', 'restricted', 23, spec({}, { runAsUser: 0 }), {}, ['runAsUser=0']],
  [
    'Windows before 1.25',
    'restricted',
    24,
    { containers: [{ name: 'c' }], os: { name: 'windows' }, securityContext: { runAsNonRoot: true } },
    {},
    ['allowPrivilegeEscalation != false', 'unrestricted capabilities', 'seccompProfile'],
  ],
  [
    'Windows since 1.25',
    'restricted',
    25,
    { containers: [{ name: 'c' }], os: { name: 'windows' }, securityContext: { runAsNonRoot: true } },
    {},
    [],
  ],
];

describe('pod security standards', () => {
  for (const [what, level, version, pod, annotations, expected] of cases) {
    it(`${what}: ${expected.join(', ') || 'allowed'}`, () => {
      const found = evaluate({ level, version }, { annotations, spec: pod });
      assert.deepEqual(
        found.map(({ reason }) => reason),
        expected,
      );
    });
  }
});
