import { badRequest } from '#base/errors/status-error.ts';
import type { Pod } from '#schema/generated/core.v1.ts';

const names = (containers: readonly { name?: string }[] | null | undefined): string[] =>
  (containers ?? []).map(({ name = '' }) => name);

/**
 * The container of a request: the named one, or the only one of the pod.
 *
 * @throws StatusError (400)
 */
export function chosenContainer(pod: Pod, asked: string): string {
  const name = pod.metadata.name ?? '';
  const main = names(pod.spec?.containers);
  const init = names(pod.spec?.initContainers);
  if (asked !== '') {
    if ([...main, ...init, ...names(pod.spec?.ephemeralContainers)].includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${name}`);
  }
  if (main.length === 1) return main[0]!;
  const must = `a container name must be specified for pod ${name}`;
  if (main.length === 0) throw badRequest(must);
  const others = init.length === 0 ? '' : ` or one of the init containers: [${init.join(' ')}]`;
  throw badRequest(`${must}, choose one of: [${main.join(' ')}]${others}`);
}
