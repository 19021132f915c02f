import { jsonEqual } from '#base/json/json-equal.ts';
import type { CertificateSigningRequest } from '#schema/generated/certificates.v1.ts';
import { type AdmissionPlugin, handling, type PluginEnvironment } from '../plugin.ts';
import { requireSigner } from '../signer-access.ts';

function unchanged(object: CertificateSigningRequest, old: CertificateSigningRequest): boolean {
  const conditions = ({ status }: CertificateSigningRequest) => status?.conditions ?? [];
  return (
    (object.status?.certificate ?? '') === (old.status?.certificate ?? '') &&
    jsonEqual(conditions(object), conditions(old))
  );
}

/**
 * Ensures that only a user with the right to sign for a signer writes certificates and conditions into its requests.
 */
export function certificateSigning(environment: PluginEnvironment): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    handles: handling('certificates', 'certificatesigningrequests', ['UPDATE'], 'status'),
    validate(request) {
      const [object, old] = [request.object, request.oldObject] as CertificateSigningRequest[];
      return unchanged(object!, old!) ? undefined : requireSigner(environment, request, 'sign');
    },
  };
}
