import type { JsonObject } from '#base/json/json-value.ts';
import type { GroupVersionKind } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Condition } from '#storage/object-store.ts';
import type { RequestContext } from './request-context.ts';
import type { ServedResource } from './served-resource.ts';
import type { WriteRests } from './write-rests.ts';

export type Phase = 'admit' | 'validate';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** One write on its way through admission. Objects of resources are in the stored version. */
export interface AdmissionRequest {
  readonly operation: Operation;
  readonly served: ServedResource;
  /** '' for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  /**
   * The name in the path or in the body. It is '' while it is unknown: for a generated name, and for a whole
   * collection.
   */
  readonly name: string;
  /** The new object; plug-ins may change it in place. Undefined for DELETE. */
  object: ApiObject | undefined;
  /** The object before; undefined for CREATE and CONNECT. Not to be changed. */
  readonly oldObject: ApiObject | undefined;
  /** The objects, if they are not of the resource's kind: a Binding, an Eviction, a TokenRequest. */
  readonly kind?: GroupVersionKind;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions as sent. */
  readonly options: JsonObject;
  readonly dryRun: boolean;
  readonly context: RequestContext;
  /** Conditions that must hold when the write commits; plug-ins add to them. Absent if nothing is stored. */
  readonly conditions?: Condition[];
  /** Plug-ins record here the facts that the write depends on. Absent if nothing is stored, or not at once. */
  readonly rests?: WriteRests | undefined;
  /** Set by the chain while the mutating steps run. */
  reinvocation?: Reinvocation;
}

/** A mutating step that changes the object requests with it a second run of the earlier mutating steps. */
export interface Reinvocation {
  /** The second run is in progress. */
  readonly again: boolean;
  /** Asks for the second run. */
  wanted: boolean;
}

/** The admission stage: mutating steps, then validating ones. Both throw StatusErrors to refuse. */
export interface AdmissionChain {
  mutate(request: AdmissionRequest): Promise<void>;
  validate(request: AdmissionRequest): Promise<void>;
}

/**
 * Takes an object that is not stored (a review, a token request, a connection) through all of admission. Returns the
 * request with the object after the plug-ins, which may be another object.
 */
export async function admit(chain: AdmissionChain, request: AdmissionRequest): Promise<AdmissionRequest> {
  await chain.mutate(request);
  await chain.validate(request);
  return request;
}
