import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiAnswer } from '#scripts/api-request.ts';
import type { Replica } from '../../replica.ts';

const DEFINITIONS = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';
const GROUP = 'budgets.example.com';

/** A kind whose objects have a value `v` and metadata. */
export interface Kind {
  readonly plural: string;
  readonly kind: string;
  readonly apiVersion: string;
}

/** The path of objects of a kind, in the namespace `default`. */
export function objectPath({ plural, apiVersion }: Kind): string {
  return `/apis/${apiVersion}/namespaces/default/${plural}`;
}

/** Defines a kind, or changes it, with this schema of `v` and these columns. Resolves to the answer of the server. */
export async function defineAt(
  replica: Replica,
  plural: string,
  schema: object,
  additionalPrinterColumns: readonly object[] = [],
): Promise<ApiAnswer> {
  const openAPIV3Schema = { type: 'object', properties: { v: schema } };
  const name = `${plural}.${GROUP}`;
  const spec = {
    group: GROUP,
    scope: 'Namespaced',
    names: { plural, kind: `Kind${plural}` },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, additionalPrinterColumns }],
  };
  const there = await replica.request('GET', `${DEFINITIONS}/${name}`);
  if (there.status === 404) return replica.request('POST', DEFINITIONS, { metadata: { name }, spec });
  const { metadata } = JSON.parse(there.body) as { metadata: { resourceVersion: string } };
  const { resourceVersion } = metadata;
  return replica.request('PUT', `${DEFINITIONS}/${name}`, { metadata: { name, resourceVersion }, spec });
}

/** Does the same as {@link defineAt}, and resolves to the kind when the server serves it. */
export async function define(
  replica: Replica,
  plural: string,
  schema: object,
  columns: readonly object[] = [],
): Promise<Kind> {
  const answer = await defineAt(replica, plural, schema, columns);
  assert.ok(answer.status < 300, `${answer.status} ${answer.body.slice(0, 500)}`);
  const kind = { plural, kind: `Kind${plural}`, apiVersion: `${GROUP}/v1` };
  while ((await replica.request('GET', objectPath(kind))).status === 404) await sleep(50);
  return kind;
}
