import { type CertificateRequest, readCertificateRequest } from '#base/x509/certificate-request.ts';
import type { CertificateSigningRequest } from '#schema/generated/certificates.v1.ts';
import { CommandError } from '../../../framework/errors.ts';
import { formatAge } from '../../../output/age.ts';
import type { Describer } from '../describer.ts';
import { timeText } from '../times.ts';
import type { DescriptionWriter } from '../writer.ts';

/** The parts of a subject that are shown if they are present, by their numbers under 2.5.4. */
const attributes: readonly [name: string, number: number][] = [
  ['Organization', 10],
  ['Organizational Unit', 11],
  ['Country', 6],
  ['Locality', 7],
  ['Province', 8],
  ['StreetAddress', 9],
  ['PostalCode', 17],
];

/** Describes a certificate request. Shows its requester, its status, and the subject of the certificate. */
export const describeCertificateRequest: Describer = (writer, object) => {
  const { metadata, spec, status } = object as CertificateSigningRequest;
  const request = requestOf(spec.request ?? '');
  writer.field(0, 'Name', metadata.name ?? '');
  writer.labels(0, 'Labels', metadata.labels);
  writer.labels(0, 'Annotations', metadata.annotations);
  writer.field(0, 'CreationTimestamp', timeText(metadata.creationTimestamp));
  writer.field(0, 'Requesting User', spec.username ?? '');
  writer.optional(0, 'Signer', spec.signerName);
  if (spec.expirationSeconds != null) writer.field(0, 'Requested Duration', formatAge(spec.expirationSeconds * 1000));
  writer.field(0, 'Status', statusText(status));
  writer.line(0, 'Subject:');
  const values = (number: number) =>
    request.subject.filter(({ type }) => type === `2.5.4.${number}`).map(({ value }) => value);
  writer.line(0, `\tCommon Name:\t${values(3).at(-1) ?? ''}`);
  writer.line(0, `\tSerial Number:\t${values(5).at(-1) ?? ''}`);
  for (const [name, number] of attributes) listed(writer, name, values(number));
  describeNames(writer, request);
};

function requestOf(encoded: string): CertificateRequest {
  try {
    return readCertificateRequest(Buffer.from(encoded, 'base64').toString());
  } catch (error) {
    throw new CommandError(`Error parsing CSR: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function statusText(status: CertificateSigningRequest['status']): string {
  const has = (wanted: string) => status?.conditions?.some(({ type }) => type === wanted) ?? false;
  const decided = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return `${decided}${has('Failed') ? ',Failed' : ''}${status?.certificate ? ',Issued' : ''}`;
}

function describeNames(writer: DescriptionWriter, { names }: CertificateRequest): void {
  if (names.length === 0) return;
  const of = (wanted: string) => names.filter(({ kind }) => kind === wanted).map(({ bytes }) => bytes);
  writer.line(0, 'Subject Alternative Names:');
  listed(writer, 'DNS Names', of('dns'));
  listed(writer, 'Email Addresses', of('email'));
  listed(writer, 'URIs', of('uri'));
  listed(writer, 'IP Addresses', of('ip').map(addressText));
}

function listed(writer: DescriptionWriter, name: string, values: readonly string[]): void {
  if (values.length > 0) writer.line(0, `\t${name}:\t${values.join('\n\t\t')}`);
}

/** The text of an IP address of 4 or 16 bytes. */
function addressText(content: string): string {
  const bytes = Buffer.from(content, 'latin1');
  if (bytes.length === 4) return bytes.join('.');
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(at * 2).toString(16));
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
}
