import { timerMs } from '#base/time/longest-timer.ts';
import { ApiError, isNotFound } from '#client/errors.ts';
import { formatJson } from '#client/json.ts';
import { pathSegment } from '#client/path-segment.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { Invocation } from '../../command-line/command.ts';
import { CommandError } from '../../framework/errors.ts';
import { type DryRun, dryRunSuffix } from '../../write/dry-run.ts';

/** The pause before a refused eviction is tried again, in which more pods may become ready. */
const RETRY_MS = 5000;
const LOOK_MS = 200;

/**
 * Evicts a pod (or deletes it, with `--disable-eviction`) and resolves when the pod is deleted.
 * @throws CommandError after the timeout, ApiError if the server refuses
 */
export async function evict(invocation: Invocation, pod: ApiObject, dryRun: DryRun): Promise<void> {
  const { flags, session, io } = invocation;
  const { name = '', namespace = '', uid } = pod.metadata;
  const timeoutMs = flags.duration('timeout');
  const deadline = timeoutMs > 0 ? performance.now() + timeoutMs : Number.POSITIVE_INFINITY;
  const evicts = !flags.bool('disable-eviction');
  const suffix = dryRunSuffix[dryRun];
  const verb = evicts ? 'evicting' : 'deleting';
  if (evicts || dryRun !== 'none') io.out.write(`${verb} pod ${namespace}/${name}${suffix}\n`);
  if (dryRun === 'client') return;
  const type = await session.typeNamed('pods');
  if (type === undefined) throw new CommandError('the server has no pods');
  const pods = (await session.client()).resource(type).in(namespace);
  const what = `pods/${JSON.stringify(name)} -n ${JSON.stringify(namespace)}`;
  const pause = async (ms: number) => {
    await new Promise((resolve) => setTimeout(resolve, timerMs(Math.min(ms, deadline - performance.now()))));
    io.signal.throwIfAborted();
  };
  const overdue = () => performance.now() >= deadline;
  for (;;) {
    try {
      if (evicts) await sendEviction(invocation, pod, dryRun);
      else await pods.delete(name, { ...graceOf(invocation), dryRun: dryRun === 'server' });
      break;
    } catch (error) {
      io.signal.throwIfAborted();
      if (isNotFound(error)) break;
      if (!(error instanceof ApiError)) throw error;
      if (!evicts || error.code !== 429)
        throw new CommandError(`error when ${verb} ${what}: ${error.message}`, { plain: true });
      if (overdue())
        throw new CommandError(`error when evicting ${what}: global timeout reached: ${flags.text('timeout')}`, {
          plain: true,
        });
      io.err.write(`error when evicting ${what} (will retry after 5s): ${error.message}\n`);
      await pause(RETRY_MS);
    }
  }
  if (dryRun !== 'none') return;
  for (;;) {
    const there = await pods.get(name).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (there === undefined || there.metadata.uid !== uid) break;
    if (overdue())
      throw new CommandError(
        `error when waiting for pod ${JSON.stringify(name)} in namespace ${JSON.stringify(namespace)} to terminate: global timeout reached: ${flags.text('timeout')}`,
        { plain: true },
      );
    await pause(LOOK_MS);
  }
  io.out.write(`pod/${name} ${evicts ? 'evicted' : 'deleted'}\n`);
}

function graceOf({ flags }: Invocation): { readonly gracePeriodSeconds?: number } {
  const seconds = flags.int('grace-period');
  return seconds < 0 ? {} : { gracePeriodSeconds: seconds };
}

async function sendEviction(invocation: Invocation, { metadata }: ApiObject, dryRun: DryRun): Promise<void> {
  const client = await invocation.session.client();
  const { name = '', namespace = '' } = metadata;
  const path = `/api/v1/namespaces/${pathSegment(namespace, 'namespace')}/pods/${pathSegment(name)}/eviction`;
  const deleteOptions = { ...graceOf(invocation), ...(dryRun === 'server' ? { dryRun: ['All'] } : {}) };
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace }, deleteOptions };
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  await client.call({ method: 'POST', path, headers, body: formatJson(body), asksAgain: true });
}
