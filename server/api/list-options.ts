import { type FieldError, forbiddenField, notSupported } from '../errors/field-error.ts';
import { invalid } from '../errors/status-error.ts';
import type { Naming } from '../naming/naming.ts';
import { parseFieldSelector } from './field-selector.ts';
import { parseLabelSelector } from './label-selector.ts';
import { int64, resourceVersion } from './parse-query.ts';
import { flag } from './request-info.ts';

/** The query of a list or watch, checked. */
export interface ListOptions {
  /** Undefined: unset. */
  readonly resourceVersion: number | undefined;
  readonly match: 'Exact' | 'NotOlderThan' | undefined;
  /** Items per page; 0: no limit. */
  readonly limit: number;
  readonly continueToken: string;
  readonly labelSelector: string | null;
  readonly fieldSelector: string | null;
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  /** Whether a watch begins with what there is; undefined: as its version says. */
  readonly sendInitialEvents: boolean | undefined;
}

/** What goes together with `sendInitialEvents`. */
function checkInitialEvents(query: URLSearchParams, watch: boolean): FieldError[] {
  if (!watch) return [forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list')];
  const match = query.get('resourceVersionMatch') ?? '';
  if (match === 'NotOlderThan') return [];
  const field = 'resourceVersionMatch';
  return match === ''
    ? [forbiddenField(field, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')]
    : [notSupported(field, match, ['NotOlderThan'])];
}

function checkMatch(query: URLSearchParams, watch: boolean): FieldError[] {
  const match = query.get('resourceVersionMatch') ?? '';
  const version = query.get('resourceVersion') ?? '';
  if (match === '') return [];
  const errors: FieldError[] = [];
  const field = 'resourceVersionMatch';
  if (watch) errors.push(forbiddenField(field, 'resourceVersionMatch is forbidden for watch'));
  if (version === '') {
    errors.push(forbiddenField(field, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
  }
  if (!watch && (query.get('continue') ?? '') !== '') {
    errors.push(forbiddenField(field, 'resourceVersionMatch is forbidden when continue is provided'));
  }
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    errors.push(notSupported(field, match, ['Exact', 'NotOlderThan', '']));
  }
  if (match === 'Exact' && version === '0') {
    errors.push(forbiddenField(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  return errors;
}

/**
 * Reads the query of a list or watch. Throws 422 where `resourceVersionMatch` is given without a
 * `resourceVersion`, with a continue token or an unknown value, or as Exact with version 0; 400 on values that are not numbers.
 * `streams`: whether `sendInitialEvents` is known (the gate `WatchList`); where it is not, it is passed over.
 */
export function listOptions(query: URLSearchParams, naming: Naming, watch: boolean, streams = false): ListOptions {
  const limit = int64(query, 'limit') ?? 0;
  const timeoutSeconds = int64(query, 'timeoutSeconds');
  const initial = streams ? query.get('sendInitialEvents') : null;
  const errors = initial === null ? checkMatch(query, watch) : checkInitialEvents(query, watch);
  if (errors.length > 0) {
    // selectors that cannot be read come first
    parseLabelSelector(query.get('labelSelector'));
    parseFieldSelector(query.get('fieldSelector'));
    throw invalid({ group: naming.group('meta'), kind: 'ListOptions' }, '', errors);
  }
  const match = query.get('resourceVersionMatch');
  return {
    resourceVersion: resourceVersion(query.get('resourceVersion')),
    match: match === 'Exact' || match === 'NotOlderThan' ? match : undefined,
    limit: Math.max(0, limit),
    continueToken: query.get('continue') ?? '',
    labelSelector: query.get('labelSelector'),
    fieldSelector: query.get('fieldSelector'),
    timeoutSeconds,
    allowWatchBookmarks: flag(query.get('allowWatchBookmarks')),
    sendInitialEvents: initial === null ? undefined : flag(initial),
  };
}
