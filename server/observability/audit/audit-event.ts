import { stringify } from '#base/json/stringify.ts';
import type { Event } from '#schema/generated/audit.v1.ts';

/** An event before it is encoded. Bodies are JSON texts, because most of them have already been encoded once. */
export interface AuditEvent extends Omit<Event, 'apiVersion' | 'kind' | 'requestObject' | 'responseObject'> {
  readonly requestObject?: string | undefined;
  readonly responseObject?: string | undefined;
}

/** One event for the backends. It is encoded once for all of them. */
export class AuditEntry {
  readonly event: AuditEvent;
  /** The JSON without `kind` and `apiVersion`, as in lists. */
  readonly json: string;

  constructor(event: AuditEvent) {
    this.event = event;
    this.json = jsonOf(event);
  }

  /** Length of the JSON in bytes. */
  get size(): number {
    return Buffer.byteLength(this.json);
  }
}

/** The JSON of an event, with the fields in the order that readers of this field know. */
function jsonOf(event: AuditEvent): string {
  const { level, auditID, stage, requestURI, verb, user, impersonatedUser, sourceIPs, userAgent, objectRef } = event;
  const { responseStatus, requestObject, responseObject, requestReceivedTimestamp, stageTimestamp, annotations } =
    event;
  const about = { level, auditID, stage, requestURI, verb, user, impersonatedUser, sourceIPs, userAgent, objectRef };
  const head = stringify({ ...about, responseStatus });
  const tail = stringify({ requestReceivedTimestamp, stageTimestamp, annotations });
  const body = (name: string, json: string | undefined) => (json === undefined ? '' : `,"${name}":${json}`);
  return `${head.slice(0, -1)}${body('requestObject', requestObject)}${body('responseObject', responseObject)},${tail.slice(1)}`;
}

/** One line of the log format `json`, without the line's end. */
export function jsonLine(entry: AuditEntry, apiVersion: string): string {
  return `{"kind":"Event","apiVersion":"${apiVersion}",${entry.json.slice(1)}`;
}

/** One line of the log format `legacy`, without the line end. It has the head of the event as quoted pairs. */
export function legacyLine({ event }: AuditEntry): string {
  const { user, impersonatedUser: as, objectRef, responseStatus } = event;
  const list = (names: readonly string[] | undefined) => (names ?? []).map((name) => JSON.stringify(name)).join(',');
  const pairs: [name: string, value: string][] = [
    ['id', event.auditID],
    ['stage', event.stage],
    ['ip', event.sourceIPs?.[0] ?? '<unknown>'],
    ['method', event.verb],
    ['user', user.username || '<none>'],
    ['groups', user.username && user.groups?.length ? list(user.groups) : '<none>'],
    ['as', as === undefined ? '<self>' : (as.username ?? '')],
    ['asgroups', as?.groups === undefined ? '<lookup>' : list(as.groups)],
    ['user-agent', event.userAgent ?? ''],
    ['namespace', objectRef?.namespace || '<none>'],
    ['uri', event.requestURI],
    ['response', responseStatus === undefined ? '<deferred>' : String(responseStatus.code ?? 0)],
  ];
  const shown = pairs.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(' ');
  return `${event.requestReceivedTimestamp} AUDIT: ${shown}`;
}
