import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createNaming, namingProfiles } from './create-naming.ts';
import type { Naming } from './naming.ts';

type Pair = readonly [neutral: string, upstream: string];

/** Every word of the interface in both profiles. */
interface Table {
  readonly keys: readonly Pair[];
  readonly keyPrefixes: readonly { neutral: string; upstream: string[] }[];
  readonly nameSuffixes: readonly Pair[];
  readonly groups: readonly Pair[];
  readonly names: Readonly<Record<string, readonly Pair[]>>;
  readonly texts: readonly Pair[];
  readonly unchanged: readonly string[];
}

const table = JSON.parse(readFileSync(new URL('testdata/names.json', import.meta.url), 'utf8')) as Table;
const orch = createNaming('orch');
const kubernetes = createNaming('kubernetes');

/** The short form of a neutral key, as code writes it. */
function shortKey(neutral: string): string {
  const slash = neutral.indexOf('/');
  const sub = shortDomain(slash < 0 ? neutral : neutral.slice(0, slash));
  return sub + (sub === '' ? neutral.slice(slash + 1) : neutral.slice(slash));
}

function shortDomain(neutral: string): string {
  const sub = neutral.replace(/\.?orch\.io$/, '');
  return sub.replace(/^orch(?=ctl$|adm$)/, '').replace(/^orch-/, '');
}

function both(pairs: readonly Pair[], ask: (naming: Naming, neutral: string) => string): void {
  for (const [neutral, upstream] of pairs) {
    assert.equal(ask(orch, neutral), neutral);
    assert.equal(ask(kubernetes, neutral), upstream);
  }
}

describe('createNaming', () => {
  it('spells every key of the interface', () => {
    const keys = table.keys.filter(([neutral]) => neutral.includes('/'));
    assert.ok(keys.length > 200);
    both(keys, (naming, neutral) => naming.key(shortKey(neutral)));
  });

  it('spells keys that are only a domain', () => {
    const names = table.keys.filter(([neutral]) => !neutral.includes('/'));
    both(names, (naming, neutral) => naming.domain(shortDomain(neutral)));
  });

  it('spells every API group and finds its short form from the full name', () => {
    both(table.groups, (naming, neutral) => naming.group(shortDomain(neutral)));
    for (const naming of [orch, kubernetes]) {
      for (const short of [
        '',
        'apps',
        'policy',
        'node',
        'rbac.authorization',
        'flowcontrol.apiserver',
        'abac.authorization',
      ])
        assert.equal(naming.shortGroup(naming.group(short)), short);
      assert.equal(naming.shortGroup('rbac.authorization'), undefined);
      assert.equal(naming.shortGroup('stable.example.com'), undefined);
      assert.equal(naming.shortGroup(naming.group('metrics')), undefined, 'served by others');
    }
    assert.equal(orch.shortGroup(kubernetes.group('node')), undefined);
  });

  it('keeps custom API groups unchanged, even if one looks like a short form', () => {
    for (const profile of namingProfiles) {
      const naming = createNaming(profile);
      for (const group of ['stable.example.com', 'example.com', 'things', 'networking.example.com']) {
        assert.deepEqual([naming.group(group), naming.shortForm(group)], [group, group]);
        assert.equal(naming.apiVersion(group, 'v1'), `${group}/v1`);
      }
      for (const short of ['rbac.authorization', 'networking', 'metrics']) {
        const others = naming.shortForm(short);
        assert.notEqual(others, short);
        assert.deepEqual([naming.group(others), naming.apiVersion(others, 'v1')], [short, `${short}/v1`]);
        assert.notEqual(naming.group(short), short);
      }
      for (const short of ['', 'apps', 'rbac.authorization'])
        assert.equal(naming.shortForm(naming.group(short)), short);
    }
  });

  it('distinguishes the API group node from the label domain node', () => {
    assert.equal(kubernetes.group('node'), 'node.k8s.io');
    assert.equal(kubernetes.key('node/not-ready'), 'node.kubernetes.io/not-ready');
    assert.equal(kubernetes.key('node/any-other'), 'node.kubernetes.io/any-other');
    assert.equal(kubernetes.translate('node.orch.io/v1'), 'node.k8s.io/v1');
    assert.equal(kubernetes.translate('node.orch.io/any-other'), 'node.kubernetes.io/any-other');
  });

  it('knows the domain of every label and annotation key', () => {
    for (const { neutral, upstream } of table.keyPrefixes)
      assert.ok(upstream.includes(kubernetes.domain(shortDomain(neutral))), neutral);
    both(table.nameSuffixes, (naming, neutral) => naming.key(`x${neutral.replace('.orch.io', '')}`).slice(1));
  });

  it('builds names from their parts', () => {
    const cases: [(naming: Naming) => string, string, string][] = [
      [(n) => n.product, 'orch', 'kubernetes'],
      [(n) => n.tracedApi, 'OrchAPI', 'KubernetesAPI'],
      [(n) => n.secretTokenIssuer, 'orch/serviceaccount', 'kubernetes/serviceaccount'],
      [(n) => n.approvalCondition, 'OrchAPIApprovalPolicyConformant', 'KubernetesAPIApprovalPolicyConformant'],
      [(n) => n.commandLine, 'orchctl', 'kubectl'],
      [(n) => n.prefixed('node-lease'), 'orch-node-lease', 'kube-node-lease'],
      [(n) => n.apiVersion('', 'v1'), 'v1', 'v1'],
      [(n) => n.apiVersion('apps', 'v1'), 'apps/v1', 'apps/v1'],
      [(n) => n.apiVersion('meta', 'v1'), 'meta.orch.io/v1', 'meta.k8s.io/v1'],
      [(n) => n.domains.join(), 'orch.io', 'kubernetes.io,k8s.io'],
      [(n) => n.protobufMediaType, 'application/vnd.orch.protobuf', 'application/vnd.kubernetes.protobuf'],
      [(n) => n.header('PF-X'), 'X-Orch-PF-X', 'X-Kubernetes-PF-X'],
      [(n) => `${n.extensionPrefix}action`, 'x-orch-action', 'x-kubernetes-action'],
      [(n) => n.execInfoVariable, 'ORCH_EXEC_INFO', 'KUBERNETES_EXEC_INFO'],
      [(n) => n.connectionVariable, 'ORCHCONFIG', 'KUBECONFIG'],
      [(n) => n.editorVariable, 'ORCH_EDITOR', 'KUBE_EDITOR'],
      [(n) => n.diffVariable, 'ORCHCTL_EXTERNAL_DIFF', 'KUBECTL_EXTERNAL_DIFF'],
      [(n) => n.clientFolder, '.orch', '.kube'],
      [(n) => n.preferences.file, 'orchrc', 'kuberc'],
      [(n) => n.preferences.group, 'orchctl.config.orch.io', 'kubectl.config.k8s.io'],
      [(n) => n.releaseComponent ?? '', '', 'kube'],
      [(n) => n.key('node-restriction/'), 'node-restriction.orch.io/', 'node-restriction.kubernetes.io/'],
    ];
    for (const [ask, neutral, upstream] of cases) assert.deepEqual([ask(orch), ask(kubernetes)], [neutral, upstream]);
  });

  it('translates texts: names, keys, groups, metrics, media types, OpenAPI and protobuf names, paths', () => {
    const keys = table.keys.filter(([neutral]) => neutral !== 'node.orch.io');
    for (const pairs of [table.texts, keys, table.groups, ...Object.values(table.names)])
      both(pairs, (naming, neutral) => naming.translate(neutral));
    both(
      [
        ['{"apiGroups":["node.orch.io","apps"]}', '{"apiGroups":["node.k8s.io","apps"]}'],
        ['rbac.authorization.orch.io/autoupdate: "true"', 'rbac.authorization.kubernetes.io/autoupdate: "true"'],
        ['/apis/storage.orch.io/v1/csinodes', '/apis/storage.k8s.io/v1/csinodes'],
        ['in namespace "orch-system".', 'in namespace "kube-system".'],
        ['service orch in default', 'service kubernetes in default'],
      ],
      (naming, neutral) => naming.translate(neutral),
    );
  });

  it('does not translate other words', () => {
    for (const text of [...table.unchanged, 'an orchard', 'orchestrate', 'my-orch', 'orch-mine', 'a.orch.example'])
      assert.equal(kubernetes.translate(text), text);
  });
});
