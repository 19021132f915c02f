import type { RequestContext } from '../http/request-context.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { ApiObject } from '../schema/api-object.ts';
import type { JsonObject } from '../schema/json-value.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** One write on its way through admission. Objects are in the stored version. */
export interface AdmissionRequest {
  readonly operation: Operation;
  readonly served: ServedResource;
  /** '' for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** The new object; plug-ins may change it in place. Undefined for DELETE. */
  object: ApiObject | undefined;
  /** The object before; undefined for CREATE and CONNECT. Not to be changed. */
  readonly oldObject: ApiObject | undefined;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions as sent. */
  readonly options: JsonObject;
  readonly dryRun: boolean;
  readonly context: RequestContext;
}

/** The admission stage: mutating steps, then validating ones. Both throw StatusErrors to refuse. */
export interface AdmissionChain {
  mutate(request: AdmissionRequest): Promise<void>;
  validate(request: AdmissionRequest): Promise<void>;
}

/** The chain without any plug-in. */
export const admitAll: AdmissionChain = {
  async mutate() {},
  async validate() {},
};
