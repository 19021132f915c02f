import assert from 'node:assert/strict';
import { createNaming } from '#base/naming/create-naming.ts';
import * as kinds from './kinds.ts';
import type { OperatorKind } from './operator-kind.ts';
import { readText } from './read-file.ts';

const naming = createNaming('orch');

/** A line that replaces the line number `at` of a file, and the error of the reader. */
type Mistake = readonly [at: number, line: string, says: string];

interface Case {
  readonly kind: OperatorKind<unknown>;
  /** The lines of the file below kind and version. */
  readonly lines: readonly string[];
  readonly misspelt: Mistake;
  readonly wrongType: Mistake;
  /** The mistake of a missing field; undefined if every field may be left out. */
  readonly missing: Mistake | undefined;
  readonly doubled: Mistake;
}

const KEY = Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString('base64');

/** Line 3 is the first line below kind and version. In files without them it is line 1. */
const cases: Readonly<Record<keyof typeof kinds, Case>> = {
  admissionConfiguration: {
    kind: kinds.admissionConfiguration,
    lines: ['plugins:', '- name: PodSecurity', '  configuration: {}'],
    misspelt: [5, '  confguration: {}', '5:3: plugins[0].confguration is not known: did you mean configuration?'],
    wrongType: [5, '  path: [a]', '5:9: plugins[0].path must be a text'],
    missing: [4, '- path: a', '4:3: plugins[0].name is missing'],
    doubled: [5, '  name: PodSecurity', '5:3: plugins[0].name stands here twice'],
  },
  auditPolicy: {
    kind: kinds.auditPolicy,
    lines: ['rules:', '- level: Metadata', '  users: [a]'],
    misspelt: [5, '  user: [a]', '5:3: rules[0].user is not known: did you mean users?'],
    wrongType: [5, '  users: a', '5:10: rules[0].users must be a list'],
    missing: [4, '- verbs: []', '4:3: rules[0].level is missing'],
    doubled: [5, '  level: None', '5:3: rules[0].level stands here twice'],
  },
  authenticationConfiguration: {
    kind: kinds.authenticationConfiguration,
    lines: [
      'jwt:',
      '- issuer: {url: "https://id.example", audiences: [a]}',
      '  claimMappings: {username: {claim: sub, prefix: ""}}',
      '  userValidationRules: []',
    ],
    misspelt: [
      6,
      '  userValidationRule: []',
      '6:3: jwt[0].userValidationRule is not known: did you mean userValidationRules?',
    ],
    wrongType: [6, '  userValidationRules: a', '6:24: jwt[0].userValidationRules must be a list'],
    missing: [5, '', '4:3: jwt[0].claimMappings is missing'],
    doubled: [6, '  claimMappings: {username: {}}', '6:3: jwt[0].claimMappings stands here twice'],
  },
  authorizationConfiguration: {
    kind: kinds.authorizationConfiguration,
    lines: ['authorizers:', '- type: RBAC', '  name: rules', '  webhook:'],
    misspelt: [6, '  webhok:', '6:3: authorizers[0].webhok is not known: did you mean webhook?'],
    wrongType: [5, '  name: [rules]', '5:9: authorizers[0].name must be a text'],
    missing: [5, '', '4:3: authorizers[0].name is missing'],
    doubled: [6, '  type: RBAC', '6:3: authorizers[0].type stands here twice'],
  },
  connectionFile: {
    kind: kinds.connectionFile,
    lines: ['clusters:', '- name: a', '  cluster:', '    server: https://a', '    insecure-skip-tls-verify: false'],
    misspelt: [6, '    sever: https://a', '6:5: clusters[0].cluster.sever is not known: did you mean server?'],
    wrongType: [
      7,
      '    insecure-skip-tls-verify: "no"',
      '7:31: clusters[0].cluster.insecure-skip-tls-verify must be true or false',
    ],
    missing: [4, '-', '5:3: clusters[0].name is missing'],
    doubled: [7, '    server: https://b', '7:5: clusters[0].cluster.server stands here twice'],
  },
  encryption: {
    kind: kinds.encryption,
    lines: ['resources:', '- resources: [secrets]', `  providers: [{aesgcm: {keys: [{name: a, secret: ${KEY}}]}}]`],
    misspelt: [
      5,
      '  providers: [{aesgmc: {}}]',
      '5:16: resources[0].providers[0].aesgmc is not known: did you mean aesgcm?',
    ],
    wrongType: [5, '  providers: identity', '5:14: resources[0].providers must be a list'],
    missing: [
      5,
      '  providers: [{aesgcm: {keys: [{name: a}]}}]',
      '5:32: resources[0].providers[0].aesgcm.keys[0].secret is missing',
    ],
    doubled: [5, '  resources: [pods]\n  providers: [{identity: {}}]', '5:3: resources[0].resources stands here twice'],
  },
  eventRateLimit: {
    kind: kinds.eventRateLimit,
    lines: ['limits:', '- type: Server', '  qps: 1', '  burst: 2', '  cacheSize: 3'],
    misspelt: [7, '  cachesize: 3', '7:3: limits[0].cachesize is not known: did you mean cacheSize?'],
    wrongType: [5, '  qps: "1"', '5:8: limits[0].qps must be a whole number'],
    missing: [6, '', '4:3: limits[0].burst is missing'],
    doubled: [7, '  burst: 3', '7:3: limits[0].burst stands here twice'],
  },
  podSecurity: {
    kind: kinds.podSecurity,
    lines: ['defaults:', '  enforce: baseline', '  enforce-version: v1.25', 'exemptions: {usernames: [a]}'],
    misspelt: [4, '  enforced: baseline', '4:3: defaults.enforced is not known: did you mean enforce?'],
    wrongType: [5, '  enforce-version: 1.25', '5:20: defaults.enforce-version must be a text: put it in quotes'],
    missing: undefined,
    doubled: [5, '  enforce: restricted', '5:3: defaults.enforce stands here twice'],
  },
  podStages: {
    kind: kinds.podStages,
    lines: ['stages:', '- name: fails', '  next: {exitCode: 1}', '  delay: 5s'],
    misspelt: [6, '  dellay: 5s', '6:3: stages[0].dellay is not known: did you mean delay?'],
    wrongType: [6, '  delay: soon', '6:10: stages[0].delay must be a time, as "500ms", "5s" or "2m"'],
    missing: [5, '  jitter: 1s', '4:3: stages[0].next is missing'],
    doubled: [6, '  next: {}', '6:3: stages[0].next stands here twice'],
  },
  podTolerationRestriction: {
    kind: kinds.podTolerationRestriction,
    lines: ['default:', '- key: a', '  operator: Exists', 'whitelist: []'],
    misspelt: [5, '  operater: Exists', '5:3: default[0].operater is not known: did you mean operator?'],
    wrongType: [6, 'whitelist: a', '6:12: whitelist must be a list'],
    missing: undefined,
    doubled: [5, '  key: b', '5:3: default[0].key stands here twice'],
  },
  resourceQuota: {
    kind: kinds.resourceQuota,
    lines: [
      'limitedResources:',
      '- resource: pods',
      '  matchContains: [cpu]',
      '  matchScopes: [{scopeName: Terminating, operator: Exists}]',
    ],
    misspelt: [
      5,
      '  matchContain: [cpu]',
      '5:3: limitedResources[0].matchContain is not known: did you mean matchContains?',
    ],
    wrongType: [6, '  matchScopes: Terminating', '6:16: limitedResources[0].matchScopes must be a list'],
    missing: [
      6,
      '  matchScopes: [{scopeName: Terminating}]',
      '6:17: limitedResources[0].matchScopes[0].operator is missing',
    ],
    doubled: [5, '  resource: a', '5:3: limitedResources[0].resource stands here twice'],
  },
  scheduler: {
    kind: kinds.scheduler,
    lines: ['profiles:', '- schedulerName: packing', '  percentageOfNodesToScore: 50'],
    misspelt: [4, '- scheduler: packing', '4:3: profiles[0].scheduler is not known: did you mean schedulerName?'],
    wrongType: [5, '  percentageOfNodesToScore: 101', '5:29: profiles[0].percentageOfNodesToScore must be at most 100'],
    missing: [5, '  pluginConfig: [{}]', '5:18: profiles[0].pluginConfig[0].name is missing'],
    doubled: [5, '  schedulerName: other', '5:3: profiles[0].schedulerName stands here twice'],
  },
  tracing: {
    kind: kinds.tracing,
    lines: ['endpoint: localhost:4317', 'samplingRatePerMillion: 10'],
    misspelt: [
      4,
      'samplingRate: 10',
      '4:1: samplingRate is not one of endpoint, samplingRatePerMillion, kind, apiVersion',
    ],
    wrongType: [4, 'samplingRatePerMillion: many', '4:25: samplingRatePerMillion must be a whole number'],
    missing: undefined,
    doubled: [4, 'endpoint: a', '4:1: endpoint stands here twice'],
  },
  webhookAdmission: {
    kind: kinds.webhookAdmission,
    lines: ['kubeConfigFile: a.conf'],
    misspelt: [3, 'kubeconfigFile: a.conf', '3:1: kubeconfigFile is not known: did you mean kubeConfigFile?'],
    wrongType: [3, 'kubeConfigFile: 1', '3:17: kubeConfigFile must be a text: put it in quotes'],
    missing: undefined,
    doubled: [3, 'kubeConfigFile: a\nkubeConfigFile: b', '4:1: kubeConfigFile stands here twice'],
  },
  unversionedPlugins: {
    kind: kinds.unversionedPlugins,
    lines: ['imagePolicy:', '  kubeConfigFile: a.conf', '  allowTTL: 5', 'podNodeSelectorPluginConfig: {a: b=c}'],
    misspelt: [3, '  allowTtl: 5', '3:3: imagePolicy.allowTtl is not known: did you mean allowTTL?'],
    wrongType: [
      4,
      'podNodeSelectorPluginConfig: {a: 5}',
      '4:34: podNodeSelectorPluginConfig.a must be a text: put it in quotes',
    ],
    missing: [2, '', '3:3: imagePolicy.kubeConfigFile is missing'],
    doubled: [3, '  kubeConfigFile: b', '3:3: imagePolicy.kubeConfigFile stands here twice'],
  },
};

/** The lines of a file in each form that its kind has had. */
function textsOf({ kind, lines }: Case): readonly string[][] {
  if (kind.forms.length === 0) return [[...lines]];
  return kind.forms.flatMap(({ kind: name, group, versions }) =>
    versions.map((version) => [`apiVersion: ${naming.apiVersion(group, version)}`, `kind: ${name}`, ...lines]),
  );
}

function replaced(lines: readonly string[], [at, line]: Mistake): string {
  return lines.with(at - 1, line).join('\n');
}

describe('configuration files', () => {
  for (const [name, about] of Object.entries(cases)) {
    const { kind } = about;
    const read = (text: string) => readText(text, 'a.yaml').as(kind, naming);
    describe(name, () => {
      for (const lines of textsOf(about)) {
        const form = lines[0]!;
        it(`are read: ${form}`, () => assert.equal(typeof read(lines.join('\n')), 'object'));
        for (const what of ['misspelt', 'wrongType', 'missing', 'doubled'] as const) {
          const mistake = about[what];
          if (mistake === undefined) continue;
          it(`show the place of a mistake: ${what}, ${form}`, () =>
            assert.throws(() => read(replaced(lines, mistake)), {
              name: 'ConfigError',
              message: `a.yaml:${mistake[2]}`,
            }));
        }
      }
      if (kind.forms.length === 0) return;
      const [lines = []] = textsOf(about);
      it('show the place of an unknown version', () =>
        assert.throws(() => read(replaced(lines, [1, 'apiVersion: example.com/v7', ''])), {
          name: 'ConfigError',
          message: /^a\.yaml:1:13: apiVersion must be "[^\n]+$/,
        }));
      it('show the place of a wrong kind', () =>
        assert.throws(() => read(replaced(lines, [2, 'kind: Pod', ''])), {
          name: 'ConfigError',
          message: /^a\.yaml:2:7: kind must be "[^\n]+$/,
        }));
      if (kind.headMayBeMissing)
        it('are accepted without a version', () => assert.equal(typeof read(replaced(lines, [1, '', ''])), 'object'));
      else
        it('are refused without a version', () =>
          assert.throws(() => read(replaced(lines, [1, '', ''])), {
            name: 'ConfigError',
            message: /^a\.yaml:2:1: apiVersion is missing: it must be "[^\n]+$/,
          }));
      it('may be JSON', () => assert.ok(read(JSON.stringify(readText(lines.join('\n'), '').value))));
    });
  }
});
