import type { AuditEntry } from './audit-event.ts';

/** The target of events: a file, or a server. */
export interface AuditSink {
  /** Rejects if the events were not kept. */
  send(entries: readonly AuditEntry[]): Promise<void>;
  /** Ends waits between attempts to send, and closes the sink. */
  stop(): Promise<void>;
}

/** A sink, and the rule by which requests wait for it. */
export interface AuditBackend {
  /** False if the event was not kept. Its request must then not continue. */
  process(entry: AuditEntry): boolean | Promise<boolean>;
  /** Sends the waiting events. */
  stop(): Promise<void>;
}

/** Called when events are lost, with the backend's name, their number, and the reason. */
export type OnLoss = (plugin: string, events: number, error: unknown) => void;
