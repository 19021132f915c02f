import type { Service } from '#schema/generated/core.v1.ts';
import { type AdmissionPlugin, handling } from '../plugin.ts';
import { refusal } from '../refusal.ts';

/** Refuses to add external addresses to services. */
export function denyServiceExternalIps(): AdmissionPlugin {
  return {
    name: 'DenyServiceExternalIPs',
    handles: handling('', 'services', ['CREATE', 'UPDATE']),
    validate(request) {
      const wanted = (request.object as Service).spec?.externalIPs ?? [];
      if (wanted.length === 0) return;
      const before = new Set((request.oldObject as Service | undefined)?.spec?.externalIPs);
      if (wanted.every((address) => before.has(address))) return;
      throw refusal(request, 'Use of external IPs is denied by admission control.');
    },
  };
}
