import type { RequestStages } from '#program/tracing/request-stages.ts';
import type { AuditRecord } from './audit-record.ts';
import type { Exchange } from './exchange.ts';
import type { RequestEnd } from './request-end.ts';
import type { ServedResource } from './served-resource.ts';
import type { ServedResources } from './served-resources.ts';
import type { UserInfo } from './user-info.ts';

/** The parsed path and method of a request. Groups are in the form of the path, and not in the neutral form. */
export interface RequestInfo {
  /** Whether the path names an API resource. */
  readonly isResource: boolean;
  /** The path without the query, after its escapes are decoded. */
  readonly path: string;
  /** The client's path, unchanged. */
  readonly rawPath: string;
  /**
   * One of get, list, watch, create, update, patch, delete and deletecollection. In an old form of paths it is `proxy`.
   * For other methods on resources it is ''. For a path without a resource it is the method in lower case.
   */
  readonly verb: string;
  readonly method: string;
  /** `api` or `apis`; empty for other paths. */
  readonly apiPrefix: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** Whether the path has a namespace before the resource, even an empty one. */
  readonly inNamespace: boolean;
  /** Path segments, beginning with the resource. */
  readonly parts: readonly string[];
  /** Whether a segment up to the subresource is empty, except the namespace. No such path has an answer. */
  readonly hasGaps: boolean;
  /** Whether the path has the old `/watch/` form. */
  readonly deprecatedWatch: boolean;
}

/** Collects Warning headers of an answer. */
export interface Warnings {
  /** Adds a warning of a webhook. Only its first 256 characters are kept. */
  addForeign(text: string): void;
  add(text: string): void;
}

/** The requested form of the answer, from the Accept header and the query. */
export interface Negotiated {
  readonly format: 'json' | 'yaml' | 'protobuf';
  /** Another form of the object or list. */
  readonly as: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList' | undefined;
  /** The version of the group meta for `as`. */
  readonly asVersion: 'v1' | 'v1beta1';
  readonly pretty: boolean;
}

/** One value that follows a request through the chain. */
export interface RequestContext {
  readonly info: RequestInfo;
  /** The id in the log and in the answer. If the client sent a valid one, it is that id. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** The first value of a header, by lower-case name. */
  header(name: string): string | undefined;
  /** All values of a header. */
  headerValues(name: string): readonly string[];
  /** Aborts when the client has disconnected. */
  readonly signal: AbortSignal;
  /**
   * Aborts when this replica starts to stop. Other requests may still finish after that. Streams end, and no new stream
   * starts.
   */
  readonly leaving: AbortSignal;
  /** The time at which the request arrived, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The deadline of the answer, in milliseconds of `performance.now()`, whose clock never jumps. */
  readonly deadlineAt: number;
  /**
   * Reads the whole body once.
   *
   * @throws StatusError (413) above the limit
   */
  readBody(): Promise<Buffer>;
  /** The length of the body that the server has read, in bytes, whatever the headers say. 0 before the body is read. */
  readonly bodyLength: number;
  /** The size in bytes of the stored object that a write changes; 0 until it is known. */
  storedLength: number;
  /** The certificates of the client as DER, the client's own first. Empty if the client has none. */
  peerCertificates(): readonly Buffer[];
  readonly remoteAddress: string;
  /**
   * The original request and its answer, for code that forwards bytes instead of values. A caller that writes to
   * `response` answers with `hijacked`.
   */
  raw(): Exchange;
  user: UserInfo | undefined;
  /** The served resources for this request. They do not change during the request. Undefined until dispatch. */
  resources?: ServedResources | undefined;
  /** The handler of the request; undefined until it is found by path and method. */
  served?: ServedResource | undefined;
  /** The negotiated form of the answer; undefined until the handler is found. */
  form: Negotiated | undefined;
  readonly warnings: Warnings;
  /** Additional annotations for the audit log. */
  readonly annotations: Map<string, string>;
  /** The stages of the request, with the time of each. */
  readonly stages: RequestStages;
  /** The end of the request: its client has the answer. */
  readonly end: RequestEnd;
  /** The audit record; absent if the audit log does not record the request. */
  audit?: AuditRecord | undefined;
}
