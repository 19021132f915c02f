/** The reason and the message of an answer that is not a Status. */
export interface PlainAnswer {
  readonly reason: string;
  readonly message: string;
}

const ANSWERS: ReadonlyMap<number, readonly [reason: string, message: string]> = new Map([
  [400, ['BadRequest', 'the server rejected our request for an unknown reason']],
  [401, ['Unauthorized', 'the server has asked for the client to provide credentials']],
  [404, ['NotFound', 'the server could not find the requested resource']],
  [405, ['MethodNotAllowed', 'the server does not allow this method on the requested resource']],
  [406, ['NotAcceptable', 'the server was unable to respond with a content type that the client supports']],
  [409, ['Conflict', 'the server reported a conflict']],
  [413, ['RequestEntityTooLarge', 'the request was too large']],
  [
    415,
    [
      'UnsupportedMediaType',
      'the body of the request was in an unknown format - accepted media types include: application/json',
    ],
  ],
  [422, ['Invalid', 'the server rejected our request due to an error in our request']],
  [429, ['TooManyRequests', 'the server has received too many requests and has asked us to try again later']],
  [503, ['ServiceUnavailable', 'the server is currently unable to handle the request']],
  [
    504,
    [
      'Timeout',
      'the server was unable to return a response in the time allotted, but may still be processing the request',
    ],
  ],
]);

/**
 * The meaning of an answer that is not a Status. It may come from a proxy between this program and the server.
 * @param body the beginning of its text
 */
export function plainAnswer(code: number, body: string): PlainAnswer {
  if (code === 403) return { reason: 'Forbidden', message: body || 'the server forbids it' };
  const known = ANSWERS.get(code);
  if (known !== undefined) return { reason: known[0], message: known[1] };
  if (code >= 500) {
    const what = body === '' ? 'an error on the server' : `an error on the server (${JSON.stringify(body)})`;
    return { reason: 'InternalError', message: `${what} has prevented the request from succeeding` };
  }
  return { reason: '', message: body || `the server answered ${code}` };
}
