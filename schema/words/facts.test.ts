import assert from 'node:assert/strict';
import { loadSchema } from '../descriptors/load.ts';
import { FORMS, factsOf, factsOfKind, viewsOf } from './facts.ts';

describe('factsOf', () => {
  const table: [message: string, field: string, facts: string[]][] = [
    ['core.v1.ConfigMap', 'data', []],
    ['core.v1.ContainerPort', 'containerPort', ['At least 1, at most 65535.']],
    ['core.v1.Container', 'imagePullPolicy', ['One of: Always, IfNotPresent, Never.']],
    ['core.v1.ContainerPort', 'protocol', ['Defaults to TCP.', 'One of: SCTP, TCP, UDP.']],
    ['core.v1.ServiceSpec', 'ports', ['No two items have the same port and protocol.']],
    ['meta.v1.ObjectMeta', 'finalizers', []],
    ['core.v1.ServicePort', 'port', ['At least 1, at most 65535.']],
    ['core.v1.Probe', 'timeoutSeconds', ['At least 0.']],
    ['discovery.v1.Endpoint', 'addresses', ['At most 100 items.', 'An apply refuses an item that occurs twice.']],
    ['batch.v1.CronJobSpec', 'timeZone', [FORMS['time-zone']]],
    ['batch.v1.CronJobSpec', 'suspend', []],
    ['core.v1.ServiceSpec', 'externalIPs', [`Each item: ${FORMS.ip}`]],
    ['core.v1.TopologySelectorLabelRequirement', 'values', ['No item occurs twice.']],
    ['storage.v1.CSINodeDriver', 'nodeID', ['At most 256 bytes.', 'It cannot be changed after creation.']],
    ['storage.v1.CSIDriverSpec', 'podInfoOnMount', ['Before release 1.30 it cannot be changed after creation.']],
    ['core.v1.PodStatus', 'phase', ['Usually one of: Failed, Pending, Running, Succeeded, Unknown.']],
    ['node.v1.RuntimeClass', 'handler', [FORMS['dns-label'], 'It cannot be changed after creation.']],
    ['rbac.authorization.v1.RoleRef', 'name', [FORMS['path-segment']]],
    ['core.v1.ConfigMapVolumeSource', 'defaultMode', ['At least 0, at most 511.']],
    ['policy.v1.PodDisruptionBudgetSpec', 'maxUnavailable', ['At least 0, at most 100%.']],
    ['core.v1.PodReadinessGate', 'conditionType', [FORMS['qualified-name']]],
    [
      'apps.v1.Deployment',
      'status',
      ['Written by the deployment controller. Clients change it only through the subresource status.'],
    ],
    [
      'core.v1.Node',
      'status',
      ['Written by the node. A create may set it; clients change it later only through the subresource status.'],
    ],
    [
      'certificates.v1.CertificateSigningRequest',
      'status',
      ['Written by approvers and the signer. Clients change it only through the subresource approval or status.'],
    ],
    ['meta.v1.ObjectMeta', 'uid', ['Only the server sets it.']],
    ['authorization.v1.SubjectAccessReview', 'status', ['Only the server sets it.']],
    ['core.v1.LifecycleHandler', 'sleep', ['Since release 1.30.']],
    ['networking.v1.NetworkPolicy', 'status', ['Release 1.28 no longer has it.']],
  ];
  const schema = loadSchema(undefined, 'every');
  for (const [message, name, facts] of table) {
    it(`of ${message}.${name}: ${facts.length === 0 ? 'nothing' : facts.join(' ')}`, () => {
      const type = schema.message(message);
      const found = factsOf(type.byJsonName.get(name)!, viewsOf(type, name));
      assert.deepEqual(found, facts);
    });
  }

  for (const [what, field, facts] of [
    ['a default number', { default: 30 }, ['Defaults to 30.']],
    ['no text for the default zero', { default: 0 }, []],
    ['a default that the server sets', { defaultsTo: 'a' }, ['Defaults to a.']],
    ['the allowed values of list items', { enum: ['a', ''], repeated: true }, ['Each item is one of: a, "".']],
    ['the uniqueness of set items', { listType: 'set' }, ['An apply refuses an item that occurs twice.']],
  ] as const) {
    it(`give ${what}`, () => {
      const nothing = { default: undefined, enum: undefined, repeated: false, listType: undefined };
      assert.deepEqual(factsOf({ ...nothing, listMapKeys: undefined, ...field }), facts);
    });
  }
});

describe('factsOfKind', () => {
  for (const [message, facts] of [
    ['core.v1.Pod', []],
    ['admissionregistration.v1.ValidatingAdmissionPolicy', ['Since release 1.30.']],
    ['resource.v1.ResourceClaim', ['Releases since 1.34 serve this version.']],
    ['resource.v1.DeviceTaintRule', ['Since release 1.37.']],
    ['flowcontrol.apiserver.v1beta2.FlowSchema', ['Release 1.29 no longer serves this version.']],
  ] as const) {
    it(`of ${message}: ${facts.length === 0 ? 'nothing' : facts.join(' ')}`, () => {
      assert.deepEqual(factsOfKind(loadSchema(undefined, 'every').message(message)), facts);
    });
  }
});
