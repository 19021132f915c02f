import { StatusError, unsupportedMediaType } from '../errors/status-error.ts';
import { patchType } from './negotiation.ts';
import type { ObjectModel } from './object-model.ts';
import type { RequestContext } from './request-context.ts';

/** The formats of patches; `apply` is no change but a configuration to apply, in JSON or YAML. */
export type PatchFormat = 'json' | 'merge' | 'strategic' | 'apply';

const FORMATS: ReadonlyMap<string, PatchFormat> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
]);

/**
 * The format of a request's patch, by its content type. Objects without a message cannot be merged strategically.
 * Throws 415.
 */
export function patchFormat(context: RequestContext, { message }: Pick<ObjectModel, 'message'>): PatchFormat {
  const format = FORMATS.get(patchType(context.header('content-type')));
  if (message === undefined && (format === undefined || format === 'strategic')) {
    const accepted = [...FORMATS].filter(([, one]) => one !== 'strategic').map(([type]) => type);
    throw unsupportedMediaType(
      `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
    );
  }
  if (format === undefined) throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  return format;
}
