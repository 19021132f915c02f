import assert from 'node:assert/strict';
import { JsonNumber, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { parseJson } from '#base/json/parse.ts';
import { stringify } from '#base/json/stringify.ts';
import { loadSchema } from '../descriptors/load.ts';
import type { Lost } from './canonical.ts';
import { DecodeError, decodeObject } from './decode.ts';
import { normalize } from './normalize.ts';

const schema = loadSchema();
const message = (name: string) => schema.message(name);

describe('decodeObject', () => {
  const forms: [name: string, type: string, body: JsonValue, form: JsonValue][] = [
    ['null becomes an empty object', 'core.v1.ConfigMap', null, { metadata: { creationTimestamp: null } }],
    [
      'fields and map keys are sorted, with kind and apiVersion first',
      'core.v1.ConfigMap',
      {
        data: { b: '1', a: '2' },
        metadata: { name: 'x', creationTimestamp: null },
        apiVersion: 'v1',
        kind: 'ConfigMap',
      },
      {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { name: 'x', creationTimestamp: null },
        data: { a: '2', b: '1' },
      },
    ],
    [
      'null fields are dropped, null entries of maps and lists become zero values',
      'core.v1.ConfigMap',
      { metadata: { name: null, finalizers: [null] }, data: { a: null }, binaryData: null, immutable: false },
      { metadata: { creationTimestamp: null, finalizers: [''] }, data: { a: '' }, immutable: false },
    ],
    [
      'base64 loses its line breaks',
      'core.v1.Secret',
      { metadata: {}, data: { a: 'aG\nk=', b: null } },
      { metadata: { creationTimestamp: null }, data: { a: 'aGk=', b: '' } },
    ],
    [
      'zero values are dropped, required messages stay, required lists become null',
      'rbac.authorization.v1.Role',
      { metadata: { generation: 0, labels: {} }, rules: [] },
      { metadata: { creationTimestamp: null }, rules: null },
    ],
    [
      'empty lists stay in objects that are never stored',
      'core.v1.ConfigMapList',
      { metadata: {}, items: [] },
      { metadata: {}, items: [] },
    ],
    [
      'fields of inline messages are fields of the parent, and quantities are canonical',
      'core.v1.Volume',
      { emptyDir: { sizeLimit: '0.5Gi', medium: '' }, name: 'v' },
      { name: 'v', emptyDir: { sizeLimit: '512Mi' } },
    ],
    [
      'an absent required value becomes its zero value',
      'core.v1.ServicePort',
      { port: -0 },
      { port: 0, targetPort: 0 },
    ],
    [
      'times are cut to seconds',
      'core.v1.PodCondition',
      { type: 'Ready', status: 'True', lastProbeTime: '2020-01-01T01:00:00.5+01:00' },
      { type: 'Ready', status: 'True', lastProbeTime: '2020-01-01T00:00:00Z', lastTransitionTime: null },
    ],
    [
      'large numbers keep their digits',
      'core.v1.PodSpec',
      { containers: [], activeDeadlineSeconds: new JsonNumber('9223372036854775807') },
      { containers: [], activeDeadlineSeconds: new JsonNumber('9223372036854775807') },
    ],
    [
      'schemas may be bools, lists or objects',
      'apiextensions.v1.JSONSchemaProps',
      {
        additionalProperties: true,
        items: { type: 'object' },
        maximum: new JsonNumber('1e2'),
        enum: [null, { b: 1, a: 2 }],
      },
      { maximum: 100, enum: [null, { b: 1, a: 2 }], items: { type: 'object' }, additionalProperties: true },
    ],
    [
      'bytes may be a list of numbers',
      'core.v1.Secret',
      { data: { a: [1, null, 255], b: [] } },
      { metadata: { creationTimestamp: null }, data: { a: 'AQD/', b: '' } },
    ],
    [
      '__proto__ is an ordinary key',
      'core.v1.ConfigMap',
      parseJson('{"data":{"__proto__":"x"}}').value,
      { metadata: { creationTimestamp: null }, data: JSON.parse('{"__proto__":"x"}') as JsonObject },
    ],
  ];
  for (const [name, type, body, form] of forms) {
    it(name, () => assert.equal(stringify(decodeObject(message(type), body)), stringify(form)));
  }

  const template = (spec: JsonObject): JsonObject => ({ spec: { template: { spec } } });
  const refused: [type: string, body: JsonValue, why: string][] = [
    [
      'core.v1.ConfigMap',
      { metadata: { name: 5 } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string',
    ],
    [
      'core.v1.ConfigMap',
      { metadata: 'str' },
      'json: cannot unmarshal string into Go struct field ConfigMap.metadata of type v1.ObjectMeta',
    ],
    [
      'core.v1.ConfigMap',
      { data: [] },
      'json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string',
    ],
    [
      'core.v1.ConfigMap',
      { data: { k: true } },
      'json: cannot unmarshal bool into Go struct field ConfigMap.data of type string',
    ],
    [
      'core.v1.ConfigMap',
      { binaryData: { k: 1 } },
      'json: cannot unmarshal number into Go struct field ConfigMap.binaryData of type []uint8',
    ],
    [
      'core.v1.ConfigMap',
      { binaryData: { k: [256] } },
      'json: cannot unmarshal number 256 into Go struct field ConfigMap.binaryData of type uint8',
    ],
    ['core.v1.ConfigMap', { binaryData: { k: '!!' } }, 'illegal base64 data at input byte 0'],
    ['meta.v1.ObjectMeta', 'str', 'json: cannot unmarshal string into Go value of type v1.ObjectMeta'],
    [
      'apps.v1.Deployment',
      { spec: { replicas: '3' } },
      'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      'apps.v1.Deployment',
      { spec: { replicas: 3.5 } },
      'json: cannot unmarshal number 3.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      'apps.v1.Deployment',
      { spec: { replicas: new JsonNumber('1e2') } },
      'json: cannot unmarshal number 1e2 into Go struct field DeploymentSpec.spec.replicas of type int32',
    ],
    [
      'apps.v1.Deployment',
      { spec: { selector: 'x' } },
      'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.selector of type v1.LabelSelector',
    ],
    [
      'apps.v1.Deployment',
      { spec: { strategy: { rollingUpdate: { maxSurge: true } } } },
      'json: cannot unmarshal bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
    ],
    [
      'apps.v1.Deployment',
      template({ containers: {} }),
      'json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container',
    ],
    [
      'apps.v1.Deployment',
      template({ containers: ['c'] }),
      'json: cannot unmarshal string into Go struct field PodSpec.spec.template.spec.containers of type v1.Container',
    ],
    [
      'apps.v1.Deployment',
      template({ containers: [{ command: 'sh' }] }),
      'json: cannot unmarshal string into Go struct field Container.spec.template.spec.containers.command of type []string',
    ],
    [
      'apps.v1.Deployment',
      template({ nodeSelector: { a: 1 } }),
      'json: cannot unmarshal number into Go struct field PodSpec.spec.template.spec.nodeSelector of type string',
    ],
    [
      'core.v1.Pod',
      { spec: { containers: [{ resources: { limits: ['cpu'] } }] } },
      'json: cannot unmarshal array into Go struct field ResourceRequirements.spec.containers.resources.limits of type v1.ResourceList',
    ],
    [
      'core.v1.Pod',
      { spec: { containers: [{ resources: { limits: { cpu: true } } }] } },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      'core.v1.Event',
      { firstTimestamp: 'now' },
      'parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse "now" as "2006"',
    ],
    [
      'core.v1.Event',
      { firstTimestamp: 5 },
      'json: cannot unmarshal number into Go struct field Event.firstTimestamp of type string',
    ],
    [
      'coordination.v1.Lease',
      { spec: { renewTime: true } },
      'json: cannot unmarshal bool into Go struct field LeaseSpec.spec.renewTime of type string',
    ],
  ];
  for (const [type, body, why] of refused) {
    it(why, () => {
      const kind = message(type).shortName;
      assert.throws(
        () => decodeObject(message(type), body),
        (error) =>
          error instanceof DecodeError &&
          error.code === 400 &&
          error.detail === why &&
          error.message === `${kind} in version "v1" cannot be handled as a ${kind}: ${why}`,
      );
    });
  }

  it('reports unknown fields in the order of the document', () => {
    const paths: string[] = [];
    const body = {
      metadata: { name: 'p', annotation: { a: 'b' } },
      Kind: 'Pod',
      spec: {
        containers: [{ imag: 'x', ports: [{ foo: 1 }] }, { resources: { limit: {} } }],
        volumes: [{ emptyDirr: {} }],
        nosuch: null,
      },
      '': 1,
    };
    decodeObject(message('core.v1.Pod'), body, { unknown: (path) => paths.push(path) });
    assert.deepEqual(paths, [
      'metadata.annotation',
      'Kind',
      'spec.containers[0].imag',
      'spec.containers[0].ports[0].foo',
      'spec.containers[1].resources.limit',
      'spec.volumes[0].emptyDirr',
      'spec.nosuch',
      '',
    ]);
  });

  it('reports unknown fields in nested schemas', () => {
    const paths: string[] = [];
    const body = {
      properties: { a: { typ: 'x' } },
      items: { typ: 'x' },
      additionalProperties: { typ: 'x' },
      allOf: [{ typ: 'x' }],
    };
    decodeObject(message('apiextensions.v1.JSONSchemaProps'), body, { unknown: (path) => paths.push(path) });
    assert.deepEqual(paths, ['properties.a.typ', 'items.typ', 'additionalProperties.typ', 'allOf[0].typ']);
  });

  const forgotten: [name: string, type: string, body: JsonValue, leftEmptyOut: boolean, respelled: boolean][] = [
    ['nothing', 'core.v1.ConfigMap', { data: { a: '' } }, false, false],
    ['an empty map', 'core.v1.ConfigMap', { data: {} }, true, false],
    ['an empty list', 'rbac.authorization.v1.Role', { rules: [] }, true, false],
    ['another spelling of a quantity', 'core.v1.ResourceRequirements', { limits: { cpu: '1000m' } }, false, true],
    ['the same spelling', 'core.v1.ResourceRequirements', { limits: { cpu: '+1', memory: 5 } }, false, false],
  ];
  for (const [what, type, body, leftEmptyOut, respelled] of forgotten) {
    it(`reports what the canonical form loses: ${what}`, () => {
      let told: object | undefined;
      decodeObject(message(type), body, { lost: (lost) => (told = lost) });
      const { leftEmptyOut: empty, respelled: spelled } = told as Lost;
      assert.deepEqual([empty, spelled], [leftEmptyOut, respelled]);
    });
  }

  it('keeps an empty list that admission needs, until the object is stored', () => {
    const type = message('core.v1.PodSecurityContext');
    const object = decodeObject(type, { supplementalGroups: [], sysctls: [] }, { inRequest: true });
    assert.deepEqual([object, normalize(type, object)], [{ supplementalGroups: [] }, {}]);
  });

  it('limits the nesting depth', () => {
    let body: JsonObject = {};
    for (let i = 0; i < 5000; i++) body = { not: body };
    assert.throws(() => decodeObject(message('apiextensions.v1.JSONSchemaProps'), body), /exceeded max depth/);
  });

  it('makes a copy that shares nothing with the body', () => {
    const body = { metadata: { labels: { a: 'b' } }, data: { any: [{ b: 1 }] }, revision: 1 };
    const form = decodeObject(message('apps.v1.ControllerRevision'), body);
    (body.data.any[0] as { b: number }).b = 2;
    body.metadata.labels.a = 'c';
    assert.deepEqual(form['data'], { any: [{ b: 1 }] });
    assert.deepEqual((form['metadata'] as JsonObject)['labels'], { a: 'b' });
  });
});
