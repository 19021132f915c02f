import assert from 'node:assert/strict';
import { loadSchema } from '../descriptors/load.ts';
import { renderPackage } from './render-types.ts';

function rendered(message: string): string {
  const type = loadSchema().message(message);
  return renderPackage(type.package, [type], 'x-');
}

describe('renderPackage', () => {
  it('declares an object with metadata as an ApiObject', () => {
    assert.equal(
      rendered('core.v1.ConfigMap'),
      `// Made by npm run generate from proto/core.v1.proto.
import type { ApiObject, ObjectMeta } from '../objects/api-object.ts';
export interface ConfigMap extends ApiObject {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
  immutable?: boolean;
}
`,
    );
  });

  const table: [message: string, line: string][] = [
    ['core.v1.Volume', 'hostPath?: HostPathVolumeSource;'],
    ['core.v1.HTTPGetAction', 'port: number | string;'],
    ['core.v1.ResourceRequirements', 'limits?: Record<string, string>;'],
    ['core.v1.Event', 'eventTime?: string | null;'],
    ['rbac.authorization.v1.Role', 'rules: PolicyRule[] | null;'],
    ['apps.v1.DeploymentSpec', 'selector: MetaV1LabelSelector | null;'],
    ['apiextensions.v1.JSONSchemaProps', '$ref?: string;'],
    ['apiextensions.v1.JSONSchemaProps', 'items?: JSONSchemaProps | JSONSchemaProps[];'],
    ['apiextensions.v1.JSONSchemaProps', 'enum?: JsonValue[];'],
    ['authentication.v1.UserInfo', 'extra?: Record<string, string[]>;'],
    ['meta.v1.TableRow', 'cells: JsonValue[] | null;'],
  ];
  for (const [message, line] of table) {
    it(`${message}: ${line}`, () => {
      assert.ok(rendered(message).includes(`\n  ${line}\n`), rendered(message));
    });
  }
});
