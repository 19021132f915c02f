import { isIP } from 'node:net';
import { whyNotFor } from '#base/x509/certificate-names.ts';
import { DeadlineError } from '#client/errors.ts';

/** The details of a failure in addition to its code. */
interface Cause extends NodeJS.ErrnoException {
  readonly hostname?: string;
  readonly address?: string;
  readonly port?: number;
  /** The certificate of the server, if it was refused. */
  readonly cert?: { readonly subjectaltname?: string; readonly valid_from?: string; readonly valid_to?: string };
  readonly host?: string;
  /** The data that arrived in place of an answer. */
  readonly rawPacket?: Buffer;
}

const UNVERIFIED = 'tls: failed to verify certificate: x509: ';
const UNKNOWN_AUTHORITY = `${UNVERIFIED}certificate signed by unknown authority`;
const CLOSED = 'EOF';
/** Matches messages of the platform about connections that closed normally. */
const CLOSED_WORDS = /disconnected|socket hang up|aborted/;

/** The words for codes of the platform. A function makes them from the details. */
const WORDS: ReadonlyMap<string, string | ((cause: Cause) => string)> = new Map<
  string,
  string | ((cause: Cause) => string)
>([
  ['ENOTFOUND', ({ hostname = '' }) => `dial tcp: lookup ${hostname}${resolver()}: no such host`],
  ['EAI_AGAIN', ({ hostname = '' }) => `dial tcp: lookup ${hostname}: Temporary failure in name resolution`],
  ['ETIMEDOUT', (cause) => `dial tcp${addressOf(cause)}: i/o timeout`],
  ['EHOSTUNREACH', (cause) => `dial tcp${addressOf(cause)}: connect: no route to host`],
  ['ENETUNREACH', (cause) => `dial tcp${addressOf(cause)}: connect: network is unreachable`],
  ['ECONNRESET', ({ message }) => (CLOSED_WORDS.test(message) ? CLOSED : 'read: connection reset by peer')],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN_AUTHORITY],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_AUTHORITY],
  ['CERT_SIGNATURE_FAILURE', UNKNOWN_AUTHORITY],
  ['CERT_HAS_EXPIRED', `${UNVERIFIED}certificate has expired or is not yet valid`],
  ['CERT_NOT_YET_VALID', `${UNVERIFIED}certificate has expired or is not yet valid`],
  ['ERR_TLS_CERT_ALTNAME_INVALID', nameMismatch],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'http: server gave HTTP response to HTTPS client'],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'http: server gave HTTP response to HTTPS client'],
  [
    'EPROTO',
    ({ message }) =>
      message.includes('wrong version number')
        ? 'tls: first record does not look like a TLS handshake'
        : message.trim(),
  ],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'remote error: tls: unknown certificate authority'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'remote error: tls: certificate required'],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'remote error: tls: bad certificate'],
]);

/** The reason why there is no connection, in the words for which users of the field search. */
export function connectionWords(error: Error): string {
  if (error instanceof DeadlineError) return 'context deadline exceeded';
  const cause = (error.cause ?? error) as Cause;
  const { code = '', rawPacket } = cause;
  if (code.startsWith('HPE_')) {
    const [line = ''] = rawPacket?.toString('latin1').split(/\r?\n/, 1) ?? [];
    return `malformed HTTP response${line === '' ? '' : ` ${JSON.stringify(line.slice(0, 100))}`}`;
  }
  const words = WORDS.get(code);
  if (words === undefined) return error.message.trim();
  return typeof words === 'string' ? words : words(cause);
}

function nameMismatch({ host = '', cert }: Cause): string {
  return UNVERIFIED + whyNotFor(host, cert?.subjectaltname ?? '');
}

function addressOf({ address, port }: Cause): string {
  return address === undefined ? '' : ` ${isIP(address) === 6 ? `[${address}]` : address}:${port ?? 0}`;
}

/** The name server that received the question. */
function resolver(): string {
  // The failed look-up has loaded the module. A call that finds its server does not load it.
  const [first] = process.getBuiltinModule?.('node:dns').getServers() ?? [];
  if (first === undefined) return '';
  return ` on ${isIP(first) === 6 ? `[${first}]` : first}${/^[\d.]+$/.test(first) || isIP(first) === 6 ? ':53' : ''}`;
}
