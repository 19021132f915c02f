import { badRequest } from '#base/errors/status-error.ts';
import { parseDuration } from '#schema/values/duration.ts';
import { ValueError } from '#schema/values/value-error.ts';
import { isConnected } from '../../api/connected.ts';
import type { Filter } from '../../api/filter.ts';

/** Refuses a malformed `timeout` in the query of a resource request with 400. */
export const checkTimeout: Filter = (context, next) => {
  const text = context.info.isResource && !isConnected(context.info) ? context.query.get('timeout') : null;
  if (text !== null && text !== '') {
    try {
      parseDuration(text);
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      return Promise.reject(badRequest(`invalid timeout specified in the request URL - ${error.message}`));
    }
  }
  return next(context);
};
