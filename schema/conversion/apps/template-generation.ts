import { badRequest } from '#base/errors/status-error.ts';
import type { ApiObject } from '../../objects/api-object.ts';

/**
 * The annotation with the number of changes of the template, for clients of older versions. Clients do not write it.
 */
export const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/**
 * The generation of the template; 0 if the annotation is missing.
 *
 * @throws StatusError (400) if the annotation is not a number
 */
export function templateGeneration({ metadata }: ApiObject): number {
  const text = metadata.annotations?.[TEMPLATE_GENERATION];
  if (text === undefined) return 0;
  if (/^[+-]?\d{1,15}$/.test(text)) return Number(text);
  const problem = /^[+-]?\d+$/.test(text) ? 'value out of range' : 'invalid syntax';
  throw badRequest(
    `DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing ${JSON.stringify(text)}: ${problem}`,
  );
}

export function setTemplateGeneration({ metadata }: ApiObject, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: String(generation) };
}
