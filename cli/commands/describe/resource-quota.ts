import type { ResourceQuota } from '#schema/generated/core.v1.ts';
import type { Describer } from './describer.ts';
import { names } from './heading.ts';
import type { DescriptionWriter } from './writer.ts';

/** The explanations of scopes of a quota, for scopes that need one. */
const scopes: Readonly<Record<string, string>> = {
  Terminating:
    'Matches all pods that have an active deadline. These pods have a limited lifespan on a node before being actively terminated by the system.',
  NotTerminating:
    'Matches all pods that do not have an active deadline. These pods usually include long running pods whose container command is not expected to terminate.',
  BestEffort:
    'Matches all pods that do not have resource requirements set. These pods have a best effort quality of service.',
  NotBestEffort:
    'Matches all pods that have at least one resource requirement set. These pods have a burstable or guaranteed quality of service.',
};

/** Describes a quota. Shows the used amount and the allowed amount of each resource. */
export const describeResourceQuota: Describer = (writer, object) => {
  names(writer, object);
  quotaScopes(writer, object as ResourceQuota, 0, ' ');
  quotaTable(writer, object as ResourceQuota, 0, ['--------', '----', '----']);
};

/** Describes the quotas of a namespace. If there are none, writes a line that says so. */
export function describeQuotas(writer: DescriptionWriter, quotas: readonly ResourceQuota[]): void {
  if (quotas.length === 0) {
    writer.line(0, 'No resource quota.');
    return;
  }
  writer.line(0, 'Resource Quotas');
  for (const quota of quotas) {
    writer.field(1, 'Name', quota.metadata.name ?? '');
    quotaScopes(writer, quota, 1, '');
    quotaTable(writer, quota, 1, ['--------', '---', '---']);
  }
}

function quotaScopes(writer: DescriptionWriter, { spec }: ResourceQuota, level: number, lead: string): void {
  const given = [...(spec?.scopes ?? [])].sort();
  if (given.length === 0) return;
  writer.field(level, 'Scopes', given.join(', '));
  for (const scope of given) if (scopes[scope] !== undefined) writer.line(level, `${lead}* ${scopes[scope]}`);
}

function quotaTable(
  writer: DescriptionWriter,
  { status }: ResourceQuota,
  level: number,
  dashes: readonly string[],
): void {
  const { hard = {}, used = {} } = status ?? {};
  const rows = Object.keys(hard)
    .sort()
    .map((resource) => [resource, used[resource] ?? '0', hard[resource]]);
  writer.table(level, ['Resource', 'Used', 'Hard'], rows, dashes);
}
