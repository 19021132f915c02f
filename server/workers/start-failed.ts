/** The message from a worker that could not start to its supervisor. It is the text for standard error. */
export interface StartFailed {
  readonly startFailed: string;
}

/** Whether a message from a worker says that it could not start. */
export function isStartFailed(message: unknown): message is StartFailed {
  return typeof message === 'object' && message !== null && 'startFailed' in message;
}
