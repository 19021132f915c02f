/** The message of a worker that could not start to its supervisor: the text for standard error. */
export interface StartFailed {
  readonly startFailed: string;
}

/** Whether a message of a worker is that it could not start. */
export function isStartFailed(message: unknown): message is StartFailed {
  return typeof message === 'object' && message !== null && 'startFailed' in message;
}
