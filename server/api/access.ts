import type { FieldSelectorAttributes, LabelSelectorAttributes } from '#schema/generated/authorization.v1.ts';
import type { UserInfo } from './user-info.ts';

/** A resource, or objects of it, to which a user may have access. Groups are in the form of paths. */
export interface AccessTarget {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** The namespace; '' for cluster-wide resources. */
  readonly namespace: string;
  /** The name; '' for all objects. */
  readonly name: string;
}

/** A question to the authorizer about a resource, or about a path without one. */
export interface AccessQuestion extends AccessTarget {
  /** The selectors of a question about many objects. Absent if there are none. Some authorizers ignore them. */
  readonly fieldSelector?: FieldSelectorAttributes;
  readonly labelSelector?: LabelSelectorAttributes;
  /** The path. If it is present, the question is about this path, and the members about resources are ''. */
  readonly path?: string;
  readonly user: UserInfo | undefined;
  readonly verb: string;
}

/** The decision of the authorizer. `error` is set if it could not read everything. */
export interface AccessAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error?: string;
}

/** Asks whether a user has rights. The user may be another one than that of the request. */
export type Access = (question: AccessQuestion) => Promise<AccessAnswer>;

/** The explanation of a refusal, in the form that clients know. */
export function explained({ reason, error }: AccessAnswer): string {
  return `${reason}, ${error ?? '<nil>'}`;
}
