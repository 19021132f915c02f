import { StatusError, unsupportedMediaType } from '#base/errors/status-error.ts';
import { patchType } from './negotiation.ts';
import type { ObjectModel } from './object-model.ts';
import type { RequestContext } from './request-context.ts';

/** The formats of patches. `apply` is not a change: it is a configuration to apply, in JSON or YAML. */
export type PatchFormat = 'json' | 'merge' | 'strategic' | 'apply';

const FORMATS: ReadonlyMap<string, PatchFormat> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
]);

/**
 * The format of a request's patch, by its content type. Objects without a message cannot be merged strategically.
 *
 * @throws StatusError: 415, or 406 if the header announces an empty body, which could not have another type
 */
export function patchFormat(context: RequestContext, { message }: Pick<ObjectModel, 'message'>): PatchFormat {
  const type = context.header('content-type');
  const format = FORMATS.get(patchType(type));
  if (message === undefined) {
    if (format === undefined || format === 'strategic') throw onlyAccepted((one) => one !== 'strategic');
    return format;
  }
  if (format !== undefined) return format;
  if (type?.split(',').some((one) => FORMATS.has(patchType(one)))) throw onlyAccepted(() => true);
  if (context.header('content-length') === '0') {
    throw new StatusError(406, 'NotAcceptable', '406: Not Acceptable\n\nAvailable representations: ', {});
  }
  throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
}

function onlyAccepted(includes: (format: PatchFormat) => boolean): StatusError {
  const accepted = [...FORMATS].filter(([, format]) => includes(format)).map(([type]) => type);
  return unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
}
