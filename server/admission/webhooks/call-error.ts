import { StatusError } from '#base/errors/status-error.ts';

/** The error about a webhook that the server could not call, or whose answer is invalid. The failure policy decides. */
export class CallError extends Error {
  /** The code for metrics. It comes from the answer of the webhook, or the server chose it. */
  readonly code: number;

  /** @param reason the text after `failed calling webhook "NAME": ` in the message */
  constructor(webhook: string, reason: string, code = 400) {
    super(`failed calling webhook ${JSON.stringify(webhook)}: ${reason}`);
    this.name = 'CallError';
    this.code = code;
  }
}

/** The error about a request that a webhook has refused. */
export class WebhookDenial extends StatusError {}

const MEANINGS: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  403: 'unknown',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  406: 'the server was unable to respond with a content type that the client supports',
  409: 'the server reported a conflict',
  415: 'the server was unable to respond with a content type that the client supports',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/** The number of characters of an answer in an error. */
const SHOWN = 2048;

/** Status codes for which the error message is the text of the webhook's answer. */
const PASSED_ON = new Set([403, 406, 415]);

/** The error message about an answer of a webhook whose code is not 2xx. */
export function httpFailure(code: number, body: Buffer): string {
  const said = body.toString().trim().slice(0, SHOWN);
  if (PASSED_ON.has(code) && said !== '') return said;
  const known = MEANINGS[code];
  if (known !== undefined) return known;
  if (code >= 500) return `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${code} but did not return more information`;
}
