import { type AdmissionPlugin, handling, type PluginEnvironment } from '../plugin.ts';
import { requireSigner } from '../signer-access.ts';

/** Only a user with the right to approve for a signer may approve or deny its requests. */
export function certificateApproval(environment: PluginEnvironment): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    handles: handling('certificates', 'certificatesigningrequests', ['UPDATE'], 'approval'),
    validate: (request) => requireSigner(environment, request, 'approve'),
  };
}
