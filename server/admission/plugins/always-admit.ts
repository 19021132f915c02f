import type { AdmissionPlugin } from '../plugin.ts';

/** Admits every request. */
export function alwaysAdmit(): AdmissionPlugin {
  return { name: 'AlwaysAdmit', handles: () => false };
}
