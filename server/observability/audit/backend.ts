import type { AuditEntry } from './audit-event.ts';

/** Where events end: a file, a server. */
export interface AuditSink {
  /** Rejects when the events are not kept. */
  send(entries: readonly AuditEntry[]): Promise<void>;
  /** Sends that are under way do not wait for a better time any more; ends what holds the sink open. */
  stop(): Promise<void>;
}

/** A sink with the way in which requests wait for it. */
export interface AuditBackend {
  /** False: the event is not kept, and the request that it is about must not go on. */
  process(entry: AuditEntry): boolean | Promise<boolean>;
  /** Sends what waits. */
  stop(): Promise<void>;
}

/** Called when events are lost, with the backend's name, how many, and why. */
export type OnLoss = (plugin: string, events: number, error: unknown) => void;
