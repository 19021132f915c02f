import { ORGANIZATION } from '#base/x509/certificate-fields.ts';
import { type CertificateRequest, readCertificateRequest } from '#base/x509/certificate-request.ts';
import type { CertificateSigningRequest } from '#schema/generated/certificates.v1.ts';
import { type AdmissionPlugin, handling, type PluginEnvironment } from '../plugin.ts';
import { refusal } from '../refusal.ts';

const ADMINISTRATORS = 'system:masters';

/** Prevents users from getting a client certificate that makes its owner an administrator. */
export function certificateSubjectRestriction({ naming }: PluginEnvironment): AdmissionPlugin {
  const signer = naming.key('apiserver-client');
  return {
    name: 'CertificateSubjectRestriction',
    handles: handling('certificates', 'certificatesigningrequests', ['CREATE']),
    validate(request) {
      const { spec } = request.object as CertificateSigningRequest;
      if (spec?.signerName !== signer) return;
      let subject: CertificateRequest['subject'];
      try {
        ({ subject } = readCertificateRequest(Buffer.from(spec.request ?? '', 'base64').toString('latin1')));
      } catch (error) {
        throw refusal(request, `failed to parse CSR: ${(error as Error).message}`);
      }
      if (!subject.some(({ type, value }) => type === ORGANIZATION && value === ADMINISTRATORS)) return;
      throw refusal(request, `use of ${signer} signer with ${ADMINISTRATORS} group is not allowed`);
    },
  };
}
