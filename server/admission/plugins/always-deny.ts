import type { AdmissionRequest } from '../../api/admission.ts';
import type { AdmissionPlugin } from '../plugin.ts';
import { refusal } from '../refusal.ts';

/** Refuses every write. */
export function alwaysDeny(): AdmissionPlugin {
  const deny = (request: AdmissionRequest): void => {
    throw refusal(request, 'admission control is denying all modifications');
  };
  return { name: 'AlwaysDeny', handles: () => true, mutate: deny, validate: deny };
}
