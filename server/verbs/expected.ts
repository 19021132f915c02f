import type { ApiObject } from '#schema/objects/api-object.ts';
import type { ObjectModel } from '../api/object-model.ts';
import type { ServedResource } from '../api/served-resource.ts';

/** The kind and version that the body of a request must have. */
export interface Expected {
  readonly kind: string;
  /** The expected group and version, in the form of an apiVersion. */
  readonly apiVersion: string;
  readonly model: ObjectModel;
  /** Whether clients may name any group and version, because the kind is the same in all (DeleteOptions). */
  readonly anyVersion?: boolean;
  /** Other group versions that clients may name, because the kind is the same in them. */
  readonly otherVersions?: readonly string[];
  /** Sets unset fields of a body, in addition to the defaults of the model. */
  defaults?(object: ApiObject): void;
}

/** The requirements for the body of a write to a resource. */
export function expectedOf(served: ServedResource): Expected {
  return { kind: served.type.kind, apiVersion: served.apiVersion, model: served.model };
}
