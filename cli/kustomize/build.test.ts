import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { findYardstick, runYardstick } from '#e2e/comparison/compare.ts';
import { runLine } from '../testing/run-line.ts';

const base = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      serviceAccountName: sa
      containers:
      - name: c
        image: localhost:5000/nginx:1.0
        envFrom: [{configMapRef: {name: conf}}]
        env: [{name: A, valueFrom: {secretKeyRef: {name: sec, key: a}}}]
      volumes: [{name: v, configMap: {name: conf}}, {name: p, projected: {sources: [{secret: {name: sec}}]}}]
---
{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: [{port: 80}]}}
---
{apiVersion: v1, kind: ServiceAccount, metadata: {name: sa}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: here}}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: web}}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: job}
spec: {schedule: "* * * * *", jobTemplate: {spec: {template: {spec: {containers: [{name: c, image: nginx}]}}}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: r}
rules: [{apiGroups: [""], resources: [configmaps], resourceNames: [conf, other], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: rb}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: r}
subjects: [{kind: ServiceAccount, name: sa}, {kind: ServiceAccount, name: default, namespace: x}, {kind: User, name: u}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: ing, annotations: {nginx.ingress.kubernetes.io/auth-secret: sec}}
spec: {ingressClassName: ic, rules: [{host: a.b, http: {paths: [{path: /, backend: {service: {name: web}}}]}}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: mw}
webhooks: [{name: a.b.c, clientConfig: {service: {name: web, namespace: default}}}]
---
{apiVersion: x.y/v1, kind: Foo, metadata: {name: foo}, spec: {flag: yes, letter: n, containers: [{image: nginx}]}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: local, annotations: {config.kubernetes.io/local-config: "true"}}
`;
/** A component that overlays include. It changes their objects. */
const part = `configMapGenerator: [{name: conf, behavior: merge, literals: [part=z]}]
resources: []
patches: [{target: {kind: Service}, patch: '[{"op": "add", "path": "/metadata/labels", "value": {"part": "x"}}]'}]
`;
const generators = `configMapGenerator:
- name: conf
  literals: [a=b, 'c="d"']
  files: [other=f.txt, f.txt]
secretGenerator: [{name: sec, literals: [a=b]}]
`;

/** The fields of a file that builds on the base. Each has a name for the test. */
const overlays: readonly [what: string, fields: string][] = [
  ['nothing', ''],
  ['names', 'namePrefix: pre-\nnameSuffix: -suf\n'],
  ['the namespace', 'namespace: place\n'],
  ['common labels and annotations', 'commonLabels: {team: t}\ncommonAnnotations: {a: "1"}\n'],
  ['labels in selectors', 'labels: [{pairs: {l: x}, includeSelectors: true}]\n'],
  ['labels in templates', 'labels: [{pairs: {l: x}, includeTemplates: true}, {pairs: {m: y1}}]\n'],
  [
    'images',
    'images: [{name: nginx, newName: reg/n, newTag: "2"}, {name: localhost:5000/nginx, digest: "sha256:12"}]\n',
  ],
  ['components', 'components: [../part]\nnamePrefix: over-\n'],
  [
    'origin annotations',
    `buildMetadata: [originAnnotations]
namePrefix: o-
secretGenerator: [{name: sec, behavior: merge, literals: [n=m]}, {name: own, literals: [n=m]}]
`,
  ],
  [
    'transformer annotations',
    `buildMetadata: [transformerAnnotations, managedByLabel, another]
components: [../part]
namePrefix: o-
nameSuffix: -s
namespace: place
commonAnnotations: {c: d}
labels: [{pairs: {e: f}}]
images: [{name: nginx, newTag: v2}]
replicas: [{name: web, count: 3}]
patchesStrategicMerge: ["{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {type: ClusterIP}}"]
patches: [{target: {kind: Service}, patch: '[{"op": "add", "path": "/spec/x", "value": "z"}]'}]
patchesJson6902: [{target: {version: v1, kind: Service, name: o-web-s}, patch: '[{"op": "remove", "path": "/spec/x"}]'}]
replacements: [{source: {kind: Service, name: web}, targets: [{select: {kind: Foo}, fieldPaths: [spec.of], options: {create: true}}]}]
`,
  ],
  ['the managed-by label', 'buildMetadata: [managedByLabel]\n'],
  [
    'annotations of an earlier build',
    `patches: [{target: {kind: Foo}, patch: '{apiVersion: x.y/v1, kind: Foo, metadata: {name: foo, annotations: {config.kubernetes.io/origin: a}}}'}]
`,
  ],
  ['replicas', 'replicas: [{name: web, count: 5}]\n'],
  [
    'patches',
    `patches:
- target: {kind: Deployment|Service, name: w.b}
  patch: '[{"op": "add", "path": "/metadata/labels", "value": {"j": "k"}}]'
- patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec: {template: {spec: {containers: [{name: c, workingDir: /x}, {name: d, image: e}]}}}
- patch: '{apiVersion: v1, kind: Namespace, metadata: {name: here}, $patch: delete}'
patchesStrategicMerge:
- |-
  {apiVersion: v1, kind: Service,
  metadata: {name: web}, spec: {ports: [{port: 80, name: web}]}}
patchesJson6902:
- {target: {version: v1, kind: ServiceAccount, name: sa}, patch: '[{"op": "add", "path": "/automountServiceAccountToken", "value": false}]'}
`,
  ],
  [
    'replacements',
    `namePrefix: p-
replacements:
- source: {kind: Deployment, name: web, fieldPath: "spec.template.spec.containers.[name=c].image", options: {delimiter: ":", index: 1}}
  targets:
  - select: {kind: Service}
    fieldPaths: [metadata.labels.version, "metadata.annotations.[example.com/v]"]
    options: {create: true}
  - select: {kind: CronJob}
    fieldPaths: [spec.jobTemplate.spec.template.spec.containers.0.image]
    options: {delimiter: ":", index: 5}
- source: {kind: Service, name: web}
  targets:
  - {select: {kind: HorizontalPodAutoscaler}, fieldPaths: [metadata.name]}
  - {select: {version: v1}, reject: [{kind: Service}, {kind: Deployment}, {kind: CronJob}, {kind: ConfigMap}, {kind: Secret}, {kind: Namespace}], fieldPaths: [metadata.annotations.of], options: {create: true}}
- source: {kind: Service, fieldPath: spec.ports}
  targets:
  - {select: {kind: Deployment}, fieldPaths: ["spec.template.spec.containers.*.ports"], options: {create: true}}
`,
  ],
  ['names and the namespace', 'namePrefix: pre-\nnamespace: place\n'],
  [
    'labels at given fields',
    'labels: [{pairs: {a: b}, fields: [{path: spec/labels, create: true, kind: Foo}, {path: spec/x, group: apps}]}]\n',
  ],
  ['images by pattern', 'images: [{name: "ngi.*", newTag: "3"}]\n'],
  ['images by digest', 'images: [{name: nginx, newTag: v3, digest: "sha256:55"}]\n'],
  ['the legacy order of files', 'sortOptions: {order: fifo}\n'],
  [
    'a custom order',
    'sortOptions: {order: legacy, legacySortOptions: {orderFirst: [Service], orderLast: [Deployment]}}\n',
  ],
  [
    'variables',
    `namePrefix: p-
vars:
- {name: W, objref: {kind: Service, name: web, apiVersion: v1}}
- {name: P, objref: {kind: Service, name: web, apiVersion: v1}, fieldref: {fieldpath: "spec.ports[0].port"}}
patches:
- patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec: {template: {spec: {containers: [{name: c, args: [a, $(W), "x$(P)$$(W)$(Q)"], env: [{name: N, value: $(P)}]}]}}}
`,
  ],
  [
    'list items prepended by patches',
    `patches:
- patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: web}
    spec: {template: {spec: {containers: [{name: new, image: e}, {name: c, env: [{name: no, value: q}, {name: A, value: z}]}]}}}
`,
  ],
  [
    'patch targets by label, with changed names',
    `patches:
- {target: {labelSelector: "app notin (x)", kind: Service}, patch: '[{"op": "add", "path": "/metadata/labels", "value": {"j": "k"}}]'}
- target: {kind: Service, name: web}
  patch: '{apiVersion: v1, kind: Service, metadata: {name: renamed}}'
  options: {allowNameChange: true}
- target: {kind: Foo}
  patch: '{apiVersion: x.y/v1, kind: Bar, metadata: {name: foo}}'
  options: {allowKindChange: true}
`,
  ],
  [
    'options of generators',
    `generatorOptions: {disableNameSuffixHash: true, immutable: true}
configMapGenerator:
- {name: conf, behavior: merge, literals: [a=z], options: {labels: {x: w}}}
- {name: own, envs: [v.env], options: {disableNameSuffixHash: false}}
secretGenerator: [{name: sec, behavior: replace, type: x/y, literals: [q=r]}]
`,
  ],
  [
    'numbers in annotations',
    `replacements:
- source: {kind: Service, name: web, fieldPath: spec.ports.0.port}
  targets: [{select: {kind: Foo}, fieldPaths: [metadata.annotations.n, spec.n], options: {create: true}}]
`,
  ],
  [
    'changed generated objects',
    `namePrefix: p-
generatorOptions: {labels: {g: h}}
configMapGenerator:
- {name: conf, behavior: merge, literals: [a=z]}
- {name: plain, options: {disableNameSuffixHash: true}, literals: [x=y1]}
secretGenerator: [{name: sec, behavior: replace, literals: [q=r]}]
`,
  ],
];

const mistakes: readonly [fields: string, told: RegExp][] = [
  ['nonsense: 1\n', /unknown field "nonsense"/],
  ['resources: [missing.yaml]\n', /no such file or directory/],
  ['resources: [/etc/hostname]\n', /security; file/],
  ['resources: ["https://example.com/x"]\n', /is not a local path/],
  ['resources: [../over]\n', /cycle detected/],
  ['resources: [../base, ../base]\n', /already registered id/],
  ['patches: [{patch: "[]"}]\n', /must specify a target/],
  ['patches: [{patch: "{kind: Pod, metadata: {name: a}}"}]\n', /no resource matches/],
  ['replicas: [{name: nope, count: 1}]\n', /does not match/],
  ['configMapGenerator: [{name: a, behavior: merge}]\n', /does not exist/],
  ['replacements: [{source: {kind: Pod}}]\n', /at least one target/],
  ['replacements: [{source: {kind: Pod}, targets: [{select: {kind: Pod}}]}]\n', /nothing selected by Pod\.\[noVer\]/],
  ['helmCharts: [{name: x}]\n', /helmCharts is not supported: write the output of the chart program to a file/],
  ['transformers: [a.yaml]\n', /transformers is not supported: the program runs no plug-ins/],
  ['buildMetadata: originAnnotations\n', /buildMetadata is not a list/],
  ['buildMetadata: [1]\n', /entry of buildMetadata is not a text/],
  ['kind: Foo\n', /kind should be Kustomization or Component/],
  ['apiVersion: a/v1alpha1\nresources: [../base]\n', /apiVersion of a Kustomization/],
  ['namespace: true\n', /namespace is not a text/],
  ['components: [../base]\n', /expected kind 'Component'/],
  ['resources: [../part]\n', /expected kind != 'Component'|does not exist/],
  ['sortOptions: {order: foo}\n', /neither legacy nor fifo/],
  ['resources: [../base]\nvars: [{name: V, objref: {kind: Pod, name: no}}]\n', /var 'V' cannot be mapped/],
  [
    'resources: [../base]\nvars: [{name: V, objref: {kind: Service, name: web}}, {name: V, objref: {kind: Service, name: web}}]\n',
    /var 'V' already encountered/,
  ],
  ['resources: [nameless.yaml]\n', /missing metadata\.name/],
  ['namespace: one\nresources: [twins.yaml]\n', /ID conflict/],
  ['[]\n', /not an object/],
  ['', /is empty/],
];

describe('orchctl kustomize', function () {
  this.timeout(60_000);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'orchctl-build-'));
    for (const name of ['base', 'over', 'part']) mkdirSync(path.join(folder, name));
    writeFileSync(path.join(folder, 'base/all.yaml'), base);
    writeFileSync(path.join(folder, 'base/f.txt'), 'hello\n');
    writeFileSync(path.join(folder, 'over/v.env'), 'A=b\nPATH\n');
    writeFileSync(
      path.join(folder, 'over/nameless.yaml'),
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: a-}\n',
    );
    writeFileSync(
      path.join(folder, 'over/twins.yaml'),
      ['x', 'z']
        .map((place) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: ${place}}\n`)
        .join('---\n'),
    );
    writeFileSync(
      path.join(folder, 'part/kustomization.yaml'),
      `apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n${part}`,
    );
    writeFileSync(path.join(folder, 'base/kustomization.yaml'), `resources: [all.yaml]\n${generators}`);
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const over = (fields: string) => {
    writeFileSync(path.join(folder, 'over/kustomization.yaml'), fields);
    return path.join(folder, 'over');
  };

  const yardstick = findYardstick();
  for (const [what, fields] of overlays)
    it(`builds the same as the upstream client: ${what}`, async function () {
      if (yardstick === undefined) return this.skip();
      const place = over(`resources: [../base]\n${fields}`);
      const theirs = await runYardstick(yardstick, ['kustomize', place], '/nonexistent');
      const ours = await runLine(['kustomize', place]);
      assert.equal(theirs.code, 0, theirs.stderr);
      assert.equal(ours.stdout, theirs.stdout, ours.stderr);
      assert.equal(ours.code, 0);
    });

  it('adds a hash to generated names and updates references', async () => {
    const { stdout } = await runLine(['kustomize', over('resources: [../base]\nnamePrefix: a-\n')]);
    const objects = parseAllDocuments(stdout).map((document) => document.toJS());
    assert.deepEqual(
      objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
      [
        'Namespace here',
        'ServiceAccount a-sa',
        'Role a-r',
        'RoleBinding a-rb',
        'ConfigMap a-conf-mdg6t97m7t',
        'Secret a-sec-k695gkmbtk',
        'Service a-web',
        'Deployment a-web',
        'CronJob a-job',
        'HorizontalPodAutoscaler a-web',
        'Ingress a-ing',
        'Foo a-foo',
        'MutatingWebhookConfiguration a-mw',
      ],
    );
    const { containers, serviceAccountName } = objects[7].spec.template.spec;
    assert.equal(serviceAccountName, 'a-sa');
    assert.equal(containers[0].envFrom[0].configMapRef.name, objects[4].metadata.name);
  });

  it('reads files outside of its folder only with --load-restrictor', async () => {
    const place = over('configMapGenerator: [{name: a, files: [../base/f.txt]}]\n');
    const refused = await runLine(['kustomize', place]);
    assert.match(refused.stderr, /security; file/);
    const built = await runLine(['kustomize', place, '--load-restrictor=LoadRestrictionsNone']);
    assert.equal(built.code, 0, built.stderr);
    assert.match((await runLine(['kustomize', place, '--load-restrictor=x'])).stderr, /illegal flag value/);
  });

  it('warns about deprecated fields and still builds', async () => {
    const { stderr, code } = await runLine(['kustomize', over('resources: [../base]\ncommonLabels: {a: b}\n')]);
    assert.equal(code, 0);
    assert.match(stderr, /^# Warning: 'commonLabels' is deprecated\. Please use 'labels' instead\./);
  });

  for (const [fields, told] of mistakes)
    it(`refuses ${JSON.stringify(fields)}`, async () => {
      const { stderr, code } = await runLine(['kustomize', over(fields)]);
      assert.match(stderr, told);
      assert.equal(code, 1);
    });
});
