import type { FlowSchema } from '../../generated/flowcontrol.apiserver.v1beta2.ts';
import type { ApiObject } from '../../objects/api-object.ts';
import type { KindVersions } from '../version-rules.ts';

const DEFAULT_PRECEDENCE = 1000;

function defaults(object: ApiObject): void {
  const { spec } = object as FlowSchema;
  if (spec !== undefined && spec.matchingPrecedence === 0) spec.matchingPrecedence = DEFAULT_PRECEDENCE;
}

/** The defaults of flow schemas in each version. */
export const flowSchemaVersions = {
  v1: { defaults },
  v1beta1: { defaults },
  v1beta2: { defaults },
} satisfies KindVersions;
