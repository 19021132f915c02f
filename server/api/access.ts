import type { FieldSelectorAttributes, LabelSelectorAttributes } from '#schema/generated/authorization.v1.ts';
import type { UserInfo } from './user-info.ts';

/** A resource, or objects of it, that a user may access. Groups are as in paths. */
export interface AccessTarget {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** '' for cluster-wide resources. */
  readonly namespace: string;
  /** '' for all. */
  readonly name: string;
}

/** A question to the authorizer about a resource, or about a path without one. */
export interface AccessQuestion extends AccessTarget {
  /** The selectors of a question about many objects; absent if there are none. Some authorizers ignore them. */
  readonly fieldSelector?: FieldSelectorAttributes;
  readonly labelSelector?: LabelSelectorAttributes;
  /** If present, the question is about this path, and the members about resources are ''. */
  readonly path?: string;
  readonly user: UserInfo | undefined;
  readonly verb: string;
}

/** The decision of the authorizer; `error` if it could not read everything. */
export interface AccessAnswer {
  readonly allowed: boolean;
  readonly reason: string;
  readonly error?: string;
}

/** Asks for permissions of a user other than the request's own. */
export type Access = (question: AccessQuestion) => Promise<AccessAnswer>;

/** The explanation of a refusal, as clients know it. */
export function explained({ reason, error }: AccessAnswer): string {
  return `${reason}, ${error ?? '<nil>'}`;
}
