import {
  expired,
  internalError,
  StatusError,
  serviceUnavailable,
  timeout,
  tooLarge,
} from '#base/errors/status-error.ts';
import {
  CompactedError,
  NotEncryptedError,
  OutcomeUnknownError,
  StoreFullError,
  StoreUnavailableError,
  ValueTooLargeError,
} from '#storage/object-store.ts';

const STORE_FULL = 'the store is full: until there is room again it takes deletions only';

/** The time until a retry makes sense if the store is full. A person must make room. */
const FULL_RETRY_SECONDS = 10;

/** Converts every error to the Status for a client. An unexpected error becomes a 500 without internal details. */
export function toStatusError(error: unknown): StatusError {
  return foreseenError(error) ?? internalError('unexpected error');
}

/** The error of a request whose client did not wait for the answer; it is not sent. */
export function clientGone(): StatusError {
  return new StatusError(499, 'ClientClosedRequest', 'the client went away');
}

/** The Status of an error that can occur while serving; undefined for a mistake in this program. */
export function foreseenError(error: unknown): StatusError | undefined {
  if (error instanceof StatusError) return error;
  if (error instanceof StoreFullError) return serviceUnavailable(STORE_FULL, FULL_RETRY_SECONDS);
  if (error instanceof NotEncryptedError)
    return serviceUnavailable('the object cannot be encrypted now, and is not stored');
  if (error instanceof StoreUnavailableError) return serviceUnavailable('the store cannot be reached');
  if (error instanceof OutcomeUnknownError) {
    return timeout('the outcome of the write is unknown: the store did not answer in time');
  }
  if (error instanceof ValueTooLargeError) return tooLarge('the object is larger than the store takes');
  if (error instanceof CompactedError) return expired('the version is no longer kept');
  return undefined;
}
