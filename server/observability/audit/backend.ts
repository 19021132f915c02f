import type { AuditEntry } from './audit-event.ts';

/** The target of events: a file, or a server. */
export interface AuditSink {
  /** Rejects when the events are not kept. */
  send(entries: readonly AuditEntry[]): Promise<void>;
  /** Ends waits between attempts to send, and closes the sink. */
  stop(): Promise<void>;
}

/** A sink with the way in which requests wait for it. */
export interface AuditBackend {
  /** False: the event was not kept, and its request must not continue. */
  process(entry: AuditEntry): boolean | Promise<boolean>;
  /** Sends what waits. */
  stop(): Promise<void>;
}

/** Called when events are lost, with the backend's name, how many, and why. */
export type OnLoss = (plugin: string, events: number, error: unknown) => void;
