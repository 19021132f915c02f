import {
  FutureRevisionError,
  StoreFullError,
  StoreUnavailableError,
  ValueTooLargeError,
} from '#storage/object-store.ts';
import { CallError, status } from './call-error.ts';

/** The lease of a put does not exist (any more); nothing was written. */
export class LeaseLostError extends Error {
  constructor() {
    super('the lease does not exist');
    this.name = 'LeaseLostError';
  }
}

/** The revision is compacted. The caller finds out which revision is the oldest. */
export class RevisionGoneError extends Error {
  constructor() {
    super('the revision is compacted');
    this.name = 'RevisionGoneError';
  }
}

/**
 * What a failed call says about its request. `unsent`: etcd has not processed the request and never will, so it can be
 * repeated. `refused`: etcd answered that it will not process the request, with `error`. `unknown`: etcd may have
 * processed it, may process it later, or may have lost it.
 */
export type Failure =
  | { readonly kind: 'unsent'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string }
  | { readonly kind: 'refused'; readonly error: Error };

const definite: ReadonlySet<number> = new Set([
  status.invalidArgument,
  status.notFound,
  status.alreadyExists,
  status.permissionDenied,
  status.failedPrecondition,
  status.outOfRange,
  status.unauthenticated,
]);

/** Messages of etcd about refusals before a proposal; etcd may accept the same request later or on another member. */
const REFUSED_FOR_NOW = /etcdserver: (no leader|too many requests|revision of auth store is old)/;

/** The meaning of a rejected call. */
export function failureOf(error: unknown): Failure {
  if (error instanceof StoreUnavailableError) {
    return { kind: 'refused', error };
  }
  if (error instanceof CallError) {
    const { code, message, sent, answered } = error;
    return answered ? meaningOf(code, message) : { kind: sent ? 'unknown' : 'unsent', message };
  }
  return { kind: 'unknown', message: error instanceof Error ? error.message : String(error) };
}

/** The meaning of etcd's answer. */
function meaningOf(code: number, message: string): Failure {
  if (REFUSED_FOR_NOW.test(message)) {
    return { kind: 'unsent', message };
  }
  if (message.includes('request is too large') || message.includes('message larger than max')) {
    return { kind: 'refused', error: new ValueTooLargeError(message) };
  }
  if (message.includes('required revision has been compacted')) {
    return { kind: 'refused', error: new RevisionGoneError() };
  }
  if (message.includes('required revision is a future revision')) {
    return { kind: 'refused', error: new FutureRevisionError() };
  }
  if (message.includes('requested lease not found')) {
    return { kind: 'refused', error: new LeaseLostError() };
  }
  if (message.includes('database space exceeded')) {
    return { kind: 'refused', error: new StoreFullError(`etcd is full: ${message}`) };
  }
  if (code === status.unimplemented || (definite.has(code) && message.startsWith('etcdserver:'))) {
    return { kind: 'refused', error: new StoreUnavailableError(`etcd refused the request: ${message}`) };
  }
  return { kind: 'unknown', message };
}
