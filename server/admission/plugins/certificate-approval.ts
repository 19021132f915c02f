import { type AdmissionPlugin, handling, type PluginEnvironment } from '../plugin.ts';
import { requireSigner } from '../signer-access.ts';

/** Ensures that only a user with the right to approve for a signer approves or denies its requests. */
export function certificateApproval(environment: PluginEnvironment): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    handles: handling('certificates', 'certificatesigningrequests', ['UPDATE'], 'approval'),
    validate: (request) => requireSigner(environment, request, 'approve'),
  };
}
