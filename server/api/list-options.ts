import { type FieldError, forbiddenField, notSupported } from '#base/errors/field-error.ts';
import { invalid } from '#base/errors/status-error.ts';
import type { Naming } from '#base/naming/naming.ts';
import { parseFieldSelector } from './field-selector.ts';
import { parseLabelSelector } from './label-selector.ts';
import { int64, resourceVersion } from './parse-query.ts';
import { flag } from './request-info.ts';

/** The checked query of a list or watch. */
export interface ListOptions {
  /** Undefined means unset. */
  readonly resourceVersion: number | undefined;
  readonly match: 'Exact' | 'NotOlderThan' | undefined;
  /** The number of items on a page; 0 means no limit. */
  readonly limit: number;
  readonly continueToken: string;
  readonly labelSelector: string | null;
  readonly fieldSelector: string | null;
  readonly timeoutSeconds: number | undefined;
  readonly allowWatchBookmarks: boolean;
  /** Whether a watch begins with the existing objects. Undefined means that its version decides. */
  readonly sendInitialEvents: boolean | undefined;
}

const MATCH = 'resourceVersionMatch';

/** Errors in the query of a watch if `sendInitialEvents` is known. `initial` says whether the query has it. */
function checkStreaming(query: URLSearchParams, initial: boolean): FieldError[] {
  const match = query.get(MATCH) ?? '';
  const fits = match === 'NotOlderThan';
  const errors: FieldError[] = [];
  if (initial && !fits)
    errors.push(forbiddenField(MATCH, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'));
  if (match === '') return errors;
  if (!initial)
    errors.push(
      forbiddenField(MATCH, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
    );
  if (!fits) errors.push(notSupported(MATCH, match, ['NotOlderThan']));
  if ((query.get('continue') ?? '') !== '')
    errors.push(forbiddenField(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
  return errors;
}

function checkMatch(query: URLSearchParams, watch: boolean): FieldError[] {
  const match = query.get(MATCH) ?? '';
  const version = query.get('resourceVersion') ?? '';
  if (match === '') return [];
  const errors: FieldError[] = [];
  if (watch) errors.push(forbiddenField(MATCH, 'resourceVersionMatch is forbidden for watch'));
  if (version === '') {
    errors.push(forbiddenField(MATCH, 'resourceVersionMatch is forbidden unless resourceVersion is provided'));
  }
  if (!watch && (query.get('continue') ?? '') !== '') {
    errors.push(forbiddenField(MATCH, 'resourceVersionMatch is forbidden when continue is provided'));
  }
  if (match !== 'Exact' && match !== 'NotOlderThan') {
    errors.push(notSupported(MATCH, match, ['Exact', 'NotOlderThan', '']));
  }
  if (match === 'Exact' && version === '0') {
    errors.push(forbiddenField(MATCH, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  return errors;
}

/** Errors of the versions in a query. */
function checkVersions(query: URLSearchParams, watch: boolean, streams: boolean): FieldError[] {
  const initial = streams && query.has('sendInitialEvents');
  if (watch) return streams ? checkStreaming(query, initial) : checkMatch(query, watch);
  const errors = checkMatch(query, watch);
  return initial ? [...errors, forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list')] : errors;
}

/**
 * Reads the query of a list or watch. `streams` says whether `sendInitialEvents` is known (the gate `WatchList`). If
 * not, it is ignored.
 *
 * @throws StatusError: 422 if `resourceVersionMatch` is invalid: it has no `resourceVersion`, comes with a continue
 * token, has an unknown value, is Exact with version 0, or is in an invalid combination with `sendInitialEvents`; 400
 * if a value is not a number
 */
export function listOptions(query: URLSearchParams, naming: Naming, watch: boolean, streams = false): ListOptions {
  const limit = int64(query, 'limit') ?? 0;
  const timeoutSeconds = int64(query, 'timeoutSeconds');
  const initial = streams ? query.get('sendInitialEvents') : null;
  const errors = checkVersions(query, watch, streams);
  if (errors.length > 0) {
    // Malformed selectors are reported first.
    parseLabelSelector(query.get('labelSelector'));
    parseFieldSelector(query.get('fieldSelector'));
    throw invalid({ group: naming.group('meta'), kind: 'ListOptions' }, '', errors);
  }
  const match = query.get(MATCH);
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
