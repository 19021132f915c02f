import type { Status } from '#base/errors/status-error.ts';
import { isObject, type JsonValue } from '#base/json/json-value.ts';
import { stringify } from '#base/json/stringify.ts';
import type { ObjectReference } from '#schema/generated/audit.v1.ts';
import type { UserInfo as RecordedUser } from '#schema/generated/authentication.v1.ts';
import type { Status as RecordedStatus } from '#schema/generated/meta.v1.ts';
import { formatMicroTime } from '#schema/values/time.ts';
import type { Attributes } from '../../api/attributes.ts';
import type { AuditRecord } from '../../api/audit-record.ts';
import { isLongRunning } from '../../api/connected.ts';
import type { RequestContext } from '../../api/request-context.ts';
import type { UserInfo } from '../../api/user-info.ts';
import { AuditEntry, type AuditEvent } from './audit-event.ts';
import { latencyAnnotations } from './latency-annotations.ts';
import { type AuditDecision, type AuditStage, auditLevels } from './policy.ts';
import { failedAuthentication, recordedUser, referenceOf, requestUri, userAgent } from './request-head.ts';
import { sourceAddresses } from './source-addresses.ts';
import { jsonWithoutManagedFields, withoutManagedFields } from './without-managed-fields.ts';

/** Handles an event. False if the event could not be kept. */
export type Emit = (entry: AuditEntry) => boolean | Promise<boolean>;

export interface RequestAuditOptions {
  readonly context: RequestContext;
  readonly attributes: Attributes;
  readonly decision: AuditDecision;
  /** The prefix of the keys of annotations with the changes of a webhook. These are as confidential as the body. */
  readonly patchAnnotations: string;
  /**
   * The key of the annotation that says how long a part of the request took. The function gets the name of the part.
   */
  readonly latencyKey: (part: string) => string;
  /** The annotation of events that lack a body. */
  readonly truncated: string;
  readonly emit: Emit;
  /** Whether the server refused the request before it knew the user. Then one event records it, at the answer. */
  readonly refused?: true;
}

/** The events of one request. There is one at each stage that the policy does not leave out. */
export class RequestAudit implements AuditRecord {
  readonly #options: RequestAuditOptions;
  readonly #level: number;
  readonly #head: Omit<AuditEvent, 'stage' | 'stageTimestamp'>;
  readonly #reference: ObjectReference | undefined;
  readonly #longRunning: boolean;
  #impersonated: RecordedUser | undefined;
  #status: RecordedStatus | undefined;
  #requestObject: string | undefined;
  #responseObject: string | undefined;
  #last: AuditStage | undefined = 'ResponseComplete';

  constructor(options: RequestAuditOptions) {
    const { context, attributes, decision } = options;
    this.#options = options;
    this.#level = auditLevels.indexOf(decision.level);
    this.#longRunning = isLongRunning(context.info);
    this.#reference = referenceOf(attributes);
    this.#head = {
      level: decision.level,
      auditID: context.id,
      requestURI: requestUri(context),
      verb: attributes.verb,
      user: recordedUser(attributes.user),
      sourceIPs: sourceAddresses((name) => context.header(name), context.remoteAddress),
      ...optional('userAgent', userAgent(context)),
      requestReceivedTimestamp: formatMicroTime(context.receivedAt),
    };
  }

  received(): boolean | Promise<boolean> {
    return this.#emit('RequestReceived', this.#options.context.receivedAt);
  }

  impersonate(user: UserInfo): void {
    this.#impersonated = recordedUser(user);
  }

  request(body: JsonValue): void {
    if (this.#reference !== undefined && isObject(body)) complete(this.#reference, body['metadata']);
    if (this.#level < auditLevels.indexOf('Request')) return;
    const kept = this.#options.decision.omitManagedFields ? withoutManagedFields(body) : body;
    this.#requestObject = stringify(kept);
  }

  get keepsResponse(): boolean {
    return this.#level >= auditLevels.indexOf('RequestResponse');
  }

  response(json: string): void {
    this.#responseObject = this.#options.decision.omitManagedFields ? jsonWithoutManagedFields(json) : json;
  }

  responseTooLarge(): void {
    this.#options.context.annotations.set(this.#options.truncated, 'true');
  }

  status({ status, message, reason, details }: Partial<Status>): void {
    this.#status = {
      metadata: {},
      ...optional('status', status),
      ...optional('message', message),
      ...optional('reason', reason),
      ...optional('details', details),
    };
  }

  panicked(): void {
    if (this.#last !== undefined) this.#last = 'Panic';
  }

  answering(code: number): void | Promise<void> {
    const { refused, context } = this.#options;
    if (refused === true && code === 401) this.#status = { ...this.#status, message: failedAuthentication(context) };
    this.#status = { metadata: {}, ...this.#status, code };
    if (!this.#longRunning && refused !== true) return undefined;
    return wait(this.#emit('ResponseStarted', Date.now()));
  }

  completed(): void | Promise<void> {
    const last = this.#last;
    this.#last = undefined;
    if (last === undefined || this.#options.refused === true) return undefined;
    const { context, latencyKey } = this.#options;
    for (const [key, value] of latencyAnnotations(context, latencyKey)) context.annotations.set(key, value);
    this.#status ??= { metadata: {}, status: 'Success', message: 'Connection closed early', code: 200 };
    const emitted = wait(this.#emit(last, Date.now()));
    // A slow client may not have the whole answer yet.
    this.#requestObject = undefined;
    this.#responseObject = undefined;
    return emitted;
  }

  #emit(stage: AuditStage, at: number): boolean | Promise<boolean> {
    const { decision, emit } = this.#options;
    if (decision.omitStages.has(stage)) return true;
    return emit(
      new AuditEntry({
        ...this.#head,
        stage,
        ...optional('impersonatedUser', this.#impersonated),
        ...optional('objectRef', this.#reference && { ...this.#reference }),
        ...optional('responseStatus', this.#status),
        requestObject: this.#requestObject,
        responseObject: this.#responseObject,
        stageTimestamp: formatMicroTime(at),
        ...optional('annotations', this.#annotations()),
      }),
    );
  }

  #annotations(): Record<string, string> | undefined {
    const { annotations } = this.#options.context;
    if (annotations.size === 0) return undefined;
    const keepsBodies = this.#level >= auditLevels.indexOf('Request');
    const kept = [...annotations].filter(([key]) => keepsBodies || !key.startsWith(this.#options.patchAnnotations));
    return kept.length === 0 ? undefined : Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** Adds data that is not in the path, such as the name of an object that is created. */
function complete(reference: ObjectReference, metadata: JsonValue | undefined): void {
  if (!isObject(metadata)) return;
  for (const field of ['namespace', 'name', 'uid', 'resourceVersion'] as const) {
    const value = metadata[field];
    if (typeof value === 'string' && value !== '') reference[field] ??= value;
  }
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [P in K]?: V };
}

/** Waits for the backend, and ignores its result, because the request has ended and cannot be refused any more. */
function wait(kept: boolean | Promise<boolean>): void | Promise<void> {
  return typeof kept === 'boolean' ? undefined : kept.then(() => undefined);
}
