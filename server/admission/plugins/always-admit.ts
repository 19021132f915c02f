import type { AdmissionPlugin } from '../plugin.ts';

/** Decides nothing. */
export function alwaysAdmit(): AdmissionPlugin {
  return { name: 'AlwaysAdmit', handles: () => false };
}
