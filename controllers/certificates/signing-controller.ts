import type { Naming } from '#base/naming/naming.ts';
import { readCertificateRequest } from '#base/x509/certificate-request.ts';
import { type Authority, issueCertificate } from '#base/x509/issue-certificate.ts';
import { isConflict, isNotFound } from '#client/errors.ts';
import { certificatesV1 } from '#client/generated/resources.ts';
import type { CertificateSigningRequest } from '#schema/generated/certificates.v1.ts';
import { controller, type ManagerFlags, need } from '../controller.ts';
import { AuthorityFiles } from './authority-files.ts';
import { type Asked, clientProblem, nodeClientProblem, nodeServingProblem } from './node-rules.ts';
import { awaitsSigning, pemOf } from './request-state.ts';

const REQUESTS = certificatesV1.certificatesigningrequests;
/** How much earlier than now certificates become valid, because the clocks of some machines are behind. */
const BACKDATE_MS = 300_000;
/** A lifetime below this limit counts from now. A longer lifetime counts from the beginning of the certificate. */
const SHORT_MS = 8 * 3_600_000;
const LEAST_MS = 600_000;

interface Signer {
  readonly key: string;
  /** The name of the signer in its flags. */
  readonly flag: 'kubelet-client' | 'kubelet-serving' | 'legacy-unknown' | '{prefix}apiserver-client';
  /** The reason not to sign; undefined if the signer may sign. */
  readonly problem: (asked: Asked) => string | undefined;
}

const SIGNERS: readonly Signer[] = [
  { key: 'apiserver-client', flag: '{prefix}apiserver-client', problem: clientProblem },
  { key: 'apiserver-client-kubelet', flag: 'kubelet-client', problem: nodeClientProblem },
  { key: 'kubelet-serving', flag: 'kubelet-serving', problem: nodeServingProblem },
  { key: 'legacy-unknown', flag: 'legacy-unknown', problem: () => undefined },
];

/**
 * Signs approved requests of the four built-in signers, each by its rules. Requests that break the rules are marked as
 * failed.
 */
export const signingController = controller({
  name: 'csrsigning',
  account: 'certificate-controller',
  unavailable: (flags) =>
    SIGNERS.some((signer) => filesOf(signer, flags) !== undefined)
      ? undefined
      : 'neither --cluster-signing-cert-file and --cluster-signing-key-file are given, nor those of any signer',
  needs: [need(REQUESTS, { fields: ['spec', 'status'] })],

  start({ client, informer, queue, flags, naming, log, signal, now }) {
    const requests = informer(REQUESTS);
    const signers = signersOf(flags, naming);

    const names = queue(async (name) => {
      const copy = requests.get(name);
      if (copy === undefined || copy.metadata.deletionTimestamp || !awaitsSigning(copy)) return;
      const signer = signers.get(copy.spec.signerName);
      if (signer === undefined) return;
      try {
        const current = await client.resource(REQUESTS).get(name);
        if (current.metadata.uid !== copy.metadata.uid || !awaitsSigning(current)) return;
        const decision = decide(current, signer, lifetimeOf(current, flags), now());
        const status = { ...current.status };
        if ('failed' in decision) {
          const { failed: message } = decision;
          const condition = { type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message };
          status.conditions = [...(status.conditions ?? []), condition];
        } else status.certificate = Buffer.from(decision.pem).toString('base64');
        await client.resource(REQUESTS).update({ ...current, status }, { subresource: 'status' });
        const about = { name, signer: copy.spec.signerName };
        if ('failed' in decision) log.info({ ...about, why: decision.failed }, 'failed the certificate request');
        else log.info(about, 'signed the certificate request');
      } catch (error) {
        // The request is gone or has changed. The copy will show it.
        if (isNotFound(error) || isConflict(error)) return;
        throw error;
      }
    });
    const changed = ({ metadata }: CertificateSigningRequest) => names.add(metadata.name!);
    requests.on({ added: changed, updated: changed }, signal);
  },
});

interface ReadySigner extends Signer {
  readonly authority: AuthorityFiles;
}

/** The signers that have a key pair, by their full names. */
function signersOf(flags: ManagerFlags, naming: Naming): Map<string, ReadySigner> {
  const found = new Map<string, ReadySigner>();
  for (const signer of SIGNERS) {
    const files = filesOf(signer, flags);
    if (files === undefined) continue;
    found.set(naming.key(signer.key), { ...signer, authority: new AuthorityFiles(files.cert, files.key) });
  }
  return found;
}

function filesOf({ flag }: Signer, flags: ManagerFlags): { cert: string; key: string } | undefined {
  const own = {
    cert: flags.get(`cluster-signing-${flag}-cert-file`),
    key: flags.get(`cluster-signing-${flag}-key-file`),
  };
  if (own.cert !== '' && own.key !== '') return own;
  const common = { cert: flags.get('cluster-signing-cert-file'), key: flags.get('cluster-signing-key-file') };
  return common.cert !== '' && common.key !== '' ? common : undefined;
}

/** The lifetime of a certificate in milliseconds: the value of the flag, or less if the request asks for less. */
function lifetimeOf({ spec }: CertificateSigningRequest, flags: ManagerFlags): number {
  const most = flags.get('cluster-signing-duration');
  if (spec.expirationSeconds === undefined) return most;
  const asked = spec.expirationSeconds * 1000;
  return asked > most ? most : Math.max(LEAST_MS, asked);
}

/**
 * The certificate, or the reason why the request can never get one.
 * @throws Error if the request may get one later
 */
function decide(
  { spec }: CertificateSigningRequest,
  signer: ReadySigner,
  lifetimeMs: number,
  now: number,
): { readonly pem: string } | { readonly failed: string } {
  let asked: Asked;
  try {
    asked = { request: readCertificateRequest(pemOf(spec.request)), usages: spec.usages ?? [] };
  } catch (error) {
    return { failed: `the request cannot be read: ${(error as Error).message}` };
  }
  const failed = signer.problem(asked);
  if (failed !== undefined) return { failed };
  const authority: Authority = signer.authority.get();
  const end = Date.parse(authority.certificate.validTo);
  if (end <= now) throw new Error(`the certificate of the signer ended at ${authority.certificate.validTo}`);
  const from = now - BACKDATE_MS;
  const to = Math.min(end, (lifetimeMs < SHORT_MS ? now : from) + lifetimeMs);
  return { pem: issueCertificate(asked.request, authority, { usages: asked.usages, from, to }).toString() };
}
