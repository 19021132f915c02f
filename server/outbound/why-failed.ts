import { table } from '#base/collections/own-properties.ts';

/** Errors of connections that were not made, with their texts. */
const NOT_REACHED: Readonly<Record<string, string>> = table({
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'no such host',
  UND_ERR_CONNECT_TIMEOUT: 'i/o timeout',
});

/** Errors which mean that the connection ended before an answer. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

// The HTTP client throws ERR_ASSERTION if an answer is impossible, such as one with a status code below 100.
const NOT_HTTP = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'ERR_ASSERTION']);
const BAD_UPGRADE = 'bad upgrade';
const BROKEN = 'net/http: HTTP/1.x transport connection broken';

/** System errors about certificates start with one of these prefixes or are one of these codes. */
const NOT_BELIEVED =
  /^(?:CERT_|ERR_TLS_CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_(?:VERIFY|GET)_|HOSTNAME_MISMATCH|INVALID_CA)/;

const OUT_OF_DATE = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);
const OF_ANOTHER = new Set(['ERR_TLS_CERT_ALTNAME_INVALID', 'HOSTNAME_MISMATCH']);

/** Whether an error is about the certificate of the called server. */
export function isUnverified({ code }: NodeJS.ErrnoException): boolean {
  return NOT_BELIEVED.test(code ?? '');
}

/** Whether the connection ended before there was an answer. */
export function wasClosed({ code = '', message }: NodeJS.ErrnoException): boolean {
  return CLOSED.has(code) && message !== BAD_UPGRADE;
}

/** Whether an error means that the received data is not a valid answer. */
function isGarbled({ code = '', name, message }: NodeJS.ErrnoException): boolean {
  return name === 'HTTPParserError' || code.startsWith('HPE_') || NOT_HTTP.has(code) || message === BAD_UPGRADE;
}

function aboutCertificate({ code = '', message }: NodeJS.ErrnoException): string {
  if (OUT_OF_DATE.has(code)) return 'certificate has expired or is not yet valid';
  return OF_ANOTHER.has(code) ? message : 'certificate signed by unknown authority';
}

/** Why a call of a server at an address, `host:port`, failed, in the words of the field. */
export function whyFailed(error: NodeJS.ErrnoException, authority: string): string {
  const { code = '', message } = error;
  const unreached = NOT_REACHED[code];
  if (unreached !== undefined) return `dial tcp ${authority}: ${unreached}`;
  if (isGarbled(error)) return `${BROKEN}: malformed HTTP response`;
  if (isUnverified(error)) return `x509: ${aboutCertificate(error)}`;
  // The message of the system contains an address in memory.
  if (code.startsWith('ERR_SSL_')) return `tls: ${code.slice(8).toLowerCase().replaceAll('_', ' ')}`;
  return wasClosed(error) ? 'EOF' : message;
}
