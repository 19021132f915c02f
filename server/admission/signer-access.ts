import type { CertificateSigningRequest } from '#schema/generated/certificates.v1.ts';
import type { AdmissionRequest } from '../api/admission.ts';
import type { PluginEnvironment } from './plugin.ts';
import { refusal } from './refusal.ts';

/**
 * Refuses a request about certificates if its user does not have the right to `verb` (approve, sign) for the request's
 * signer. The right may be for the signer's name, or for all signers of its domain.
 */
export async function requireSigner(
  { access, naming }: PluginEnvironment,
  request: AdmissionRequest,
  verb: 'approve' | 'sign',
): Promise<void> {
  const { signerName = '' } = (request.oldObject as CertificateSigningRequest).spec ?? {};
  const names = [signerName, `${signerName.slice(0, signerName.indexOf('/'))}/*`];
  for (const name of names) {
    const answer = await access({
      user: request.context.user,
      verb,
      group: naming.group('certificates'),
      version: '*',
      resource: 'signers',
      subresource: '',
      namespace: '',
      name,
    });
    if (answer.allowed) return;
  }
  throw refusal(request, `user not permitted to ${verb} requests with signerName ${JSON.stringify(signerName)}`);
}
