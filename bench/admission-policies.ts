import { createNaming } from '#base/naming/create-naming.ts';
import { releaseOf } from '#base/release/release.ts';
import { RegistryView } from '#server/admission/cluster-view.ts';
import type { PluginEnvironment } from '#server/admission/plugin.ts';
import { mutatingAdmissionPolicy } from '#server/admission/plugins/mutating-admission-policy.ts';
import { validatingAdmissionPolicy } from '#server/admission/plugins/validating-admission-policy.ts';
import type { AdmissionRequest } from '#server/api/admission.ts';
import { SmallServer } from '#server/testing/small-server.ts';
import { pod } from './pod.ts';

// What policies of admission cost a request in CPU time, in the process of the server and without its other work:
//   node bench/admission-policies.ts
// Rows: no policy at all; 100 policies for other resources; one whose conditions do not hold; one with three simple
// rules that hold; one that applies a label.

const naming = createNaming('orch');
const TIMES = 20_000;
const GROUP = 'admissionregistration';

const constraints = (resource: string) => ({
  resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: [resource] }],
});
const rules = ['has(object.metadata.labels)', 'object.spec.containers.size() > 0', "object.metadata.name != 'x'"];
const validations = rules.map((expression) => ({ expression }));
const applyConfiguration = { expression: "Object{metadata: Object.metadata{labels: {'policy': 'yes'}}}" };

interface Row {
  readonly about: string;
  readonly kind: 'mutating' | 'validating';
  readonly specs: readonly object[];
}

const ROWS: readonly Row[] = [
  { about: 'no policy', kind: 'validating', specs: [] },
  {
    about: '100 policies for another resource',
    kind: 'validating',
    specs: Array.from({ length: 100 }, () => ({ matchConstraints: constraints('configmaps'), validations })),
  },
  {
    about: 'a condition that does not hold',
    kind: 'validating',
    specs: [
      {
        matchConstraints: constraints('pods'),
        matchConditions: [{ name: 'c', expression: "request.namespace == 'other'" }],
        validations,
      },
    ],
  },
  {
    about: 'three rules that hold',
    kind: 'validating',
    specs: [{ matchConstraints: constraints('pods'), validations }],
  },
  {
    about: 'a label that is applied',
    kind: 'mutating',
    specs: [
      { matchConstraints: constraints('pods'), mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration }] },
    ],
  },
];

async function measure({ about, kind, specs }: Row): Promise<void> {
  const server = new SmallServer('orch', {}, releaseOf('1.37'));
  const put = (plural: string, name: string, object: object) =>
    server.store.put(`/registry/${GROUP}/${kind}admissionpolic${plural}/${name}`, JSON.stringify(object));
  for (const [i, spec] of specs.entries()) {
    const name = `p${i}`;
    const stored = (of: string, what: object) => ({
      kind: of,
      apiVersion: naming.apiVersion(GROUP, 'v1'),
      metadata: { name },
      spec: what,
    });
    put('ies', name, stored('Policy', spec));
    put('ybindings', name, stored('Binding', { policyName: name, validationActions: ['Deny'] }));
  }
  await server.start();
  const environment = {
    naming,
    cluster: new RegistryView(server.registry),
    access: async () => ({ allowed: true, reason: '' }),
  };
  const make = kind === 'mutating' ? mutatingAdmissionPolicy : validatingAdmissionPolicy;
  const plugin = make(environment as unknown as PluginEnvironment);
  const served = server.registry.findStored('', 'v1', 'pods');
  const object = pod(1) as never;
  const context = {
    warnings: new Set(),
    annotations: new Map(),
    query: new URLSearchParams(),
    user: { name: 'admin', uid: '', groups: [], extra: {} },
  };
  const request = () =>
    ({
      operation: 'CREATE',
      served,
      subresource: '',
      namespace: 'default',
      name: 'bench',
      object,
      oldObject: undefined,
      options: {},
      dryRun: false,
      context,
      rests: {},
    }) as unknown as AdmissionRequest;
  const run = async () => {
    const before = process.threadCpuUsage();
    for (let i = 0; i < TIMES; i++) {
      const asked = kind === 'mutating' ? plugin.mutate!(request()) : plugin.validate!(request());
      if (asked !== undefined) await asked;
    }
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / TIMES;
  };
  await run();
  const taken = [await run(), await run(), await run()];
  console.log(
    `${Math.min(...taken)
      .toFixed(2)
      .padStart(8)} µs  ${about}`,
  );
  await server.stop();
}

for (const row of ROWS) await measure(row);
