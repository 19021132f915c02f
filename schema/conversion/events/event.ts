import type { KindVersions } from '../version-rules.ts';
import { fromCoreEvent, toCoreEvent } from './convert-event.ts';

/** How events of their own group become those of the core group, and back. */
export const eventVersions = {
  'events/v1': { toStorage: toCoreEvent, fromStorage: fromCoreEvent },
} satisfies KindVersions;
