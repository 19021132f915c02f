import { jsonEqual } from '#base/json/json-equal.ts';
import { isConflict, isNotFound } from '#client/errors.ts';
import { coreV1, policyV1 } from '#client/generated/resources.ts';
import { byNamespace, keyOf, splitKey } from '#client/informer/informer.ts';
import { selects } from '#client/label-selector.ts';
import type { Pod } from '#schema/generated/core.v1.ts';
import type { PodDisruptionBudget } from '#schema/generated/policy.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { controller, need } from '../controller.ts';
import { coveredBy, needsExpected, statusOf } from './budget-status.ts';
import { type Expected, expectedPods, WORKLOADS } from './expected-pods.ts';

const BUDGETS = policyV1.poddisruptionbudgets;

/**
 * Keeps the status of disruption budgets current: how many of their pods are healthy, how many must be healthy, and how
 * many may be evicted. The API server decides about evictions by this status.
 */
export const disruptionController = controller({
  name: 'disruption',
  account: 'disruption-controller',
  component: 'controllermanager',
  needs: [
    need(BUDGETS, { fields: ['spec', 'status'] }),
    need(coreV1.pods, { fields: ['status.conditions.type', 'status.conditions.status'] }),
    ...WORKLOADS.map((type) => need(type, { fields: ['spec.replicas'] })),
  ],

  start(term) {
    const { client, events, informer, queue, log, signal, now } = term;
    const budgets = informer(BUDGETS);
    const pods = informer(coreV1.pods);

    const statusFor = async (budget: PodDisruptionBudget) => {
      const covered = coveredBy(budget, pods.find(byNamespace, budget.metadata.namespace!));
      const expected: Expected = needsExpected(budget) ? await expectedPods(covered, term) : { count: covered.length };
      return { ...statusOf(budget, covered, expected, now()), covered, expected };
    };

    const keys = queue(async (key) => {
      const copy = budgets.get(key);
      if (copy === undefined || copy.metadata.deletionTimestamp) return;
      let next = await statusFor(copy);
      if (!jsonEqual(next.status, copy.status)) {
        if (next.covered.length === 0) events.normal(BUDGETS, copy, 'NoPods', 'No matching pods found');
        if ('unknown' in next.expected) {
          const message = `Failed to calculate the number of expected pods: ${next.expected.unknown}`;
          events.warn(BUDGETS, copy, 'CalculateExpectedPodCountFailed', message);
        }
        const { namespace, name } = splitKey(key);
        try {
          // Evictions also change the status, so the controller uses the present status for its decision.
          const live = client.resource(BUDGETS).in(namespace);
          const current = await live.get(name);
          next = await statusFor(current);
          if (!jsonEqual(next.status, current.status)) {
            await live.update({ ...current, status: next.status }, { subresource: 'status' });
            const { disruptionsAllowed, currentHealthy, desiredHealthy } = next.status;
            log.info(
              { namespace, name, disruptionsAllowed, currentHealthy, desiredHealthy },
              'updated the status of a disruption budget',
            );
          }
        } catch (error) {
          // The object is gone or has changed. The copy will show it.
          if (isNotFound(error) || isConflict(error)) return;
          throw error;
        }
      }
      return next.lookAgainAt === undefined ? undefined : { afterMs: Math.max(1, next.lookAgainAt - now()) };
    });

    const changed = (budget: PodDisruptionBudget) => keys.add(keyOf(budget));
    budgets.on({ added: changed, updated: changed }, signal);
    const ofPod = (...states: readonly Pod[]) => {
      for (const budget of budgets.find(byNamespace, states[0]!.metadata.namespace!))
        if (states.some(({ metadata }) => selects(budget.spec?.selector, metadata.labels))) changed(budget);
    };
    pods.on({ added: ofPod, updated: ofPod, deleted: ofPod }, signal);
    const ofWorkload = ({ metadata }: ApiObject) => {
      for (const budget of budgets.find(byNamespace, metadata.namespace!)) if (needsExpected(budget)) changed(budget);
    };
    for (const type of WORKLOADS)
      informer(type).on({ added: ofWorkload, updated: ofWorkload, deleted: ofWorkload }, signal);
  },
});
