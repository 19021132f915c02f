import { type AdmissionPlugin, handling, type PluginEnvironment } from '../plugin.ts';
import { requireSigner } from '../signer-access.ts';

/** Only who may approve for a signer decides about its requests. */
export function certificateApproval(environment: PluginEnvironment): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    handles: handling('certificates', 'certificatesigningrequests', ['UPDATE'], 'approval'),
    validate: (request) => requireSigner(environment, request, 'approve'),
  };
}
