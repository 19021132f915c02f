import { request } from 'node:https';
import { notFound } from '#base/errors/status-error.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import type { Release } from '#base/release/release.ts';
import { timerMs } from '#base/time/longest-timer.ts';
import type { ComponentStatus } from '#schema/generated/core.v1.ts';
import { asJson } from '#schema/objects/as-json.ts';
import { emptyMetadata } from '#schema/objects/empty-metadata.ts';
import { object as objectAnswer } from '../api/answer.ts';
import { listOptions } from '../api/list-options.ts';
import { ObjectContent } from '../api/object-content.ts';
import type { TableForm } from '../api/resource-definition.ts';
import type { ResourceHandler } from '../api/resource-handler.ts';
import { selection } from '../api/selection.ts';
import type { ServedResource } from '../api/served-resource.ts';
import type { Registry } from '../resources/registry.ts';

const TIMEOUT_MS = 2_000;
/** The largest number of bytes of an answer that are read. */
const MAX_MESSAGE = 1024;

/** The reported state of a component, or the reason why there is none. */
interface Health {
  readonly healthy: boolean;
  readonly message: string;
}

/**
 * Asks a component on this machine at its default port. Another program may use that port, so little of its answer is
 * read, and not for long. `timeoutMs` is the limit for the whole exchange.
 */
export function askLocally(port: number, timeoutMs = TIMEOUT_MS): Promise<Health> {
  return new Promise((resolve) => {
    const call = request({ host: '127.0.0.1', port, path: '/healthz', rejectUnauthorized: false }, (answer) => {
      const healthy = answer.statusCode === 200;
      const chunks: Buffer[] = [];
      let size = 0;
      const end = (): void => {
        resolve({ healthy, message: Buffer.concat(chunks).subarray(0, MAX_MESSAGE).toString() });
        call.destroy();
      };
      answer.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size >= MAX_MESSAGE) end();
      });
      answer.on('end', end);
    });
    const timer = setTimeout(() => call.destroy(new Error('it does not answer')), timerMs(timeoutMs));
    call.on('error', (error) =>
      resolve({ healthy: false, message: `Get "https://127.0.0.1:${port}/healthz": ${error.message}` }),
    );
    call.on('close', () => clearTimeout(timer));
    call.end();
  });
}

/** The parts of a control plane, each with a function that asks for its health. */
function components({ store, etcdPrefix }: Registry): Readonly<Record<string, () => Promise<Health>>> {
  return {
    'controller-manager': () => askLocally(10257),
    'etcd-0': () =>
      store.get(`${etcdPrefix}/profile`).then(
        () => ({ healthy: true, message: '{"health":"true","reason":""}' }),
        () => ({ healthy: false, message: 'it does not answer' }),
      ),
    scheduler: () => askLocally(10259),
  };
}

async function statusOf(name: string, release: Release, ask: () => Promise<Health>): Promise<JsonObject> {
  const { healthy, message } = await ask();
  const condition = { type: 'Healthy', status: healthy ? 'True' : 'False', message };
  return { metadata: asJson({ name, ...emptyMetadata(release) }), conditions: [condition] };
}

/** A component as a table row. */
function tableOf(served: ServedResource): TableForm {
  return {
    columns: served.type.columns,
    cells(object) {
      const { metadata, conditions } = object as ComponentStatus;
      const healthy = conditions?.find(({ type }) => type === 'Healthy');
      const status = healthy === undefined ? 'Unknown' : healthy.status === 'True' ? 'Healthy' : 'Unhealthy';
      return [metadata?.name ?? '', status, healthy?.message ?? '', healthy?.error ?? ''];
    },
  };
}

/** Answers reads of component statuses, which are not stored. Each read asks the component itself. */
export function componentStatusHandler(registry: Registry): ResourceHandler {
  const single = registry.schema.message('core.v1.ComponentStatus');
  const list = registry.schema.message('core.v1.ComponentStatusList');
  const known = components(registry);
  const { release } = registry.schema;
  return async (served, context) => {
    const { name } = context.info;
    if (name === '') {
      const { labels, fields } = selection(served, listOptions(context.query, registry.naming, false));
      const wanted = Object.entries(known).filter(
        ([component]) => labels.matches({}) && fields.matches({ name: component, namespace: '', fields: undefined }),
      );
      const items = await Promise.all(wanted.map(([component, ask]) => statusOf(component, release, ask)));
      return objectAnswer(ObjectContent.ofList(served, list, items, tableOf(served)));
    }
    const ask = Object.hasOwn(known, name) ? known[name] : undefined;
    if (ask === undefined) throw notFound({ group: '', resource: 'componentstatuses' }, name);
    return objectAnswer(
      ObjectContent.ofObject('ComponentStatus', 'v1', single, await statusOf(name, release, ask), tableOf(served)),
    );
  };
}
