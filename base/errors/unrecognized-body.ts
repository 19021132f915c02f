import { badRequest, type StatusError } from './status-error.ts';

/** How many bytes of a body an error shows. */
const SHOWN = 30;

/**
 * An error 400 for a body that is not recognized as an object of `kind`. `reason` says why, without `couldn't get
 * version/kind`, which precedes the reason for JSON bodies ({@link jsonReason}).
 *
 * @example
 * unrecognizedBody('Pod', 'no kind is given', '{"a":1}').message
 * // => 'the object provided is unrecognized (must be of type Pod): no kind is given ({"a":1})'
 */
export function unrecognizedBody(kind: string, reason: string, body: Uint8Array | string): StatusError {
  return badRequest(`the object provided is unrecognized (must be of type ${kind}): ${reason} (${excerpt(body)})`);
}

/** The reason of {@link unrecognizedBody} for a JSON body, from the message of its syntax or type error. */
export function jsonReason(message: string): string {
  return `couldn't get version/kind; json parse error: ${message}`;
}

/** The start of a body: unchanged if it looks like JSON, otherwise in hexadecimal. */
function excerpt(body: Uint8Array | string): string {
  const bytes = Buffer.from(body);
  if (bytes.length === 0) return '<empty>';
  const start = bytes.subarray(0, SHOWN);
  const shown = bytes[0] === 0x7b ? start.toString() : start.toString('hex');
  return bytes.length > SHOWN ? `${shown} ...` : shown;
}
