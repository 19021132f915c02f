import type { AdmissionPlugin } from '../plugin.ts';

/** Has no say. */
export function alwaysAdmit(): AdmissionPlugin {
  return { name: 'AlwaysAdmit', handles: () => false };
}
