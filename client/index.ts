// The exports of the package, which programs outside of this project import as `@orch/client`.

export type { JsonObject, JsonValue } from '#base/json/json-value.ts';
export { createNaming } from '#base/naming/create-naming.ts';
export type { Naming, NamingProfile } from '#base/naming/naming.ts';
export {
  type Cluster,
  type Connection,
  ConnectionFileError,
  type ExecPlugin,
  type Impersonation,
  type TextSource,
  type User,
} from '#program/connection/connection.ts';
export {
  type ConnectionChoice,
  type ConnectionFile,
  chooseConnection,
  readConnection,
  readConnectionFiles,
} from '#program/connection/connection-file.ts';
export type { ApiObject, ManagedFieldsEntry, ObjectMeta, OwnerReference } from '#schema/objects/api-object.ts';
export { AnswerError } from './answers.ts';
export type { Caller, NamedCaller } from './caller.ts';
export type {
  AppliedObject,
  JsonPatchStep,
  MergeDirectives,
  MergePatch,
  Parts,
  PatchOf,
  PatchType,
  StrategicPatch,
} from './changes.ts';
export { Client, type ClientOptions, ConnectedClient, connect } from './client.ts';
export { type Credentials, credentialsOf, type Identity, tokenCredentials } from './connection/credentials.ts';
export { connectionOfPod, findConnectionFiles } from './connection/find-connection.ts';
export { Discovered, type DiscoveredType, type DiscoveredVersion } from './discovery/discovered.ts';
export { Discovery, type DiscoveryOptions } from './discovery/discovery.ts';
export {
  ApiError,
  ConnectionError,
  DeadlineError,
  FencedError,
  isAborted,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNamespaceTerminating,
  isNotFound,
  type StatusBody,
} from './errors.ts';
export { EventRecorder, type EventRecorderOptions } from './events/recorder.ts';
export type { AnswerHeaders, Incoming } from './http/answer.ts';
export type { Upgraded } from './http/exchange.ts';
export type { Answer, Attempt, Call, UpgradeCall } from './http/transport.ts';
export {
  byNamespace,
  byOwner,
  type Handler,
  type IndexBy,
  Informer,
  keyOf,
  type Lister,
  splitKey,
} from './informer/informer.ts';
export type { Fields } from './informer/projection.ts';
export { type ReflectorOptions, type ReflectorSink, reflect } from './informer/reflector.ts';
export { type InformerNeed, SharedInformers, type SharedInformersOptions } from './informer/shared-informers.ts';
export { hasLabels, type Labels, selectorText, selects } from './label-selector.ts';
export { type ElectionOptions, standForElection } from './leader/elect.ts';
export { type Clock, Leadership } from './leader/leadership.ts';
export { OwnWrites, type VersionedCopy } from './own-writes.ts';
export { NameError } from './path-segment.ts';
export {
  type ApplyOptions,
  type CallOptions,
  type DeleteOptions,
  type GetOptions,
  type List,
  type ListOptions,
  type MetadataObject,
  type Preconditions,
  ResourceClient,
  type WatchOptions,
  type WriteOptions,
} from './resource-client.ts';
export { apiVersionOf, groupOf, nameOf, type ResourceType } from './resource-type.ts';
export type { WatchEvent } from './watch-events.ts';
export {
  type LookAgain,
  type QueueObserver,
  type Reconcile,
  WorkQueue,
  type WorkQueueOptions,
} from './work/work-queue.ts';
