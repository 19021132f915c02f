import { evaluators } from '#schema/quota/evaluators.ts';
import { addUsage } from '#schema/values/usage.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import type { RequestContext } from '../../api/request-context.ts';
import type { AdmissionPlugin, PluginEnvironment } from '../plugin.ts';
import { QuotaLedger } from '../quota/ledger.ts';
import { readLimitedResources } from '../quota/limited-resources.ts';
import { type Charges, measure, QuotaRefusal } from '../quota/measure.ts';
import { refusal } from '../refusal.ts';

/** Objects that expire by themselves or are not stored, with their group. */
const IGNORED = new Set(['/events', 'events/events', '/bindings', 'authorization/localsubjectaccessreviews']);

const NOTHING: Charges = new Map();

function together(a: Charges, b: Charges): Charges {
  const sum = new Map(a);
  for (const [name, usage] of b) sum.set(name, addUsage(sum.get(name) ?? {}, usage));
  return sum;
}

/**
 * Keeps the objects of a namespace within its quotas. It runs last. A request that passes is charged, and after that
 * only the write itself can fail. A write that starts again (because a name exists or another write was faster) is
 * charged only once.
 */
export function resourceQuota({ naming, cluster, configuration }: PluginEnvironment): AdmissionPlugin {
  const evaluatorOf = evaluators(naming);
  const limitedResources = readLimitedResources(configuration, naming);
  const ledger = new QuotaLedger(cluster);
  const chargedBefore = new WeakMap<RequestContext, Charges>();

  async function charge(request: AdmissionRequest): Promise<void> {
    const { served, object, oldObject, namespace, context, dryRun } = request;
    const { group, type } = served;
    const before = chargedBefore.get(context) ?? NOTHING;
    const limited = limitedResources.filter((entry) => entry.apiGroup === group && entry.resource === type.plural);
    const demand = { evaluator: evaluatorOf(served), object: object!, oldObject, limited };
    const measured = (quotas: Parameters<typeof measure>[0]) => measure(quotas, demand, before);
    try {
      if (dryRun) return await ledger.check(namespace, measured);
      const charges = await ledger.charge(namespace, measured);
      if (charges.size > 0) chargedBefore.set(context, together(before, charges));
    } catch (error) {
      throw error instanceof QuotaRefusal ? refusal(request, error.message) : error;
    }
  }

  return {
    name: 'ResourceQuota',
    handles: ({ operation, group, resource, subresource }) =>
      (operation === 'CREATE' || operation === 'UPDATE') && subresource === '' && !IGNORED.has(`${group}/${resource}`),
    validate(request) {
      const { namespace, served, operation } = request;
      if (namespace === '' || !served.type.namespaced) return undefined;
      if (limitedResources.length === 0 && !ledger.has(namespace)) return undefined;
      return evaluatorOf(served).operations.includes(operation) ? charge(request) : undefined;
    },
  };
}
