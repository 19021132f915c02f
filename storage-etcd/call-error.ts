/** The reason why a call of the channel failed; `failure.ts` derives the effect on its request. */
export class CallError extends Error {
  /** gRPC status code (google.rpc.Code). */
  readonly code: number;
  /**
   * Whether the peer may have received any part of the request. False only if it is certain that the peer has not
   * processed the request and never will.
   */
  readonly sent: boolean;
  /** Whether the peer itself sent the code and the message. */
  readonly answered: boolean;

  private constructor(code: number, message: string, sent: boolean, answered: boolean) {
    super(message);
    this.name = 'CallError';
    this.code = code;
    this.sent = sent;
    this.answered = answered;
  }

  /** The peer has not worked on the request and never will. */
  static unsent(message: string): CallError {
    return new CallError(status.unavailable, message, false, false);
  }

  /** The request was sent, and its outcome is unknown. */
  static lost(message: string): CallError {
    return new CallError(status.unavailable, message, true, false);
  }

  /** The peer answered with this status. */
  static answer(code: number, message: string): CallError {
    return new CallError(code, message, true, true);
  }
}

/** gRPC status codes. */
export const status = {
  ok: 0,
  invalidArgument: 3,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  failedPrecondition: 9,
  outOfRange: 11,
  unimplemented: 12,
  unavailable: 14,
  unauthenticated: 16,
} as const;
