import type { KindVersions } from '../version-rules.ts';
import { fromCoreEvent, toCoreEvent } from './convert-event.ts';

/** The conversions of events between the events group and the core group. */
export const eventVersions = {
  'events/v1': { toStorage: toCoreEvent, fromStorage: fromCoreEvent },
} satisfies KindVersions;
