import type { JsonObject } from '#base/json/json-value.ts';
import type { GroupVersionKind } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Condition } from '#storage/object-store.ts';
import type { RequestContext } from './request-context.ts';
import type { ServedResource } from './served-resource.ts';
import type { WriteRests } from './write-rests.ts';

export type Phase = 'admit' | 'validate';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** One write during admission. Objects of resources are in the stored version. */
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
  /** The new object. Plug-ins may change it in place. Undefined for DELETE. */
  object: ApiObject | undefined;
  /** The object before the write; undefined for CREATE and CONNECT. It must not be changed. */
  readonly oldObject: ApiObject | undefined;
  /** The objects, if they are not of the resource's kind: a Binding, an Eviction, a TokenRequest. */
  readonly kind?: GroupVersionKind;
  /** The CreateOptions, UpdateOptions, PatchOptions or DeleteOptions that the client sent. */
  readonly options: JsonObject;
  readonly dryRun: boolean;
  readonly context: RequestContext;
  /** Conditions that must hold when the write commits. Plug-ins add conditions. Absent if nothing is stored. */
  readonly conditions?: Condition[];
  /**
   * Plug-ins record here the facts on which the write depends. Absent if nothing is stored, or if it is stored later.
   */
  readonly rests?: WriteRests | undefined;
  /** Set by the chain while the mutating steps run. */
  reinvocation?: Reinvocation;
}

/**
 * The state of a second run. If a mutating step changes the object, it requests with this a second run of the earlier
 * mutating steps.
 */
export interface Reinvocation {
  /** Whether the second run is in progress. */
  readonly again: boolean;
  /** Whether the second run is requested. */
  wanted: boolean;
}

/** The admission stage: first mutating steps, then validating steps. Both throw StatusErrors to refuse. */
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
