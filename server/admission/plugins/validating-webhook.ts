import type { AdmissionRequest } from '../../api/admission.ts';
import type { AdmissionPlugin, PluginEnvironment } from '../plugin.ts';
import type { Candidate } from '../webhooks/candidates.ts';
import { ReviewObjects } from '../webhooks/review-objects.ts';
import { Selection } from '../webhooks/selection.ts';
import { mayAskWebhooks, WebhookDispatcher } from '../webhooks/webhook-dispatcher.ts';

/**
 * Calls all matching validating webhooks with the final object, at the same time. Each of them can refuse the request.
 */
export function validatingWebhook(environment: PluginEnvironment): AdmissionPlugin {
  const webhooks = new WebhookDispatcher(environment, 'validatingwebhookconfigurations');

  const askAll = async (request: AdmissionRequest, candidates: readonly Candidate[]): Promise<void> => {
    const selection = new Selection(webhooks.cluster, request);
    const chosen: Candidate[] = [];
    const objects = new ReviewObjects(webhooks.cluster.registry, request);
    for (const candidate of candidates) {
      if (!(await selection.selects(candidate.webhook))) continue;
      if (await webhooks.isWanted(candidate, request, objects)) chosen.push(candidate);
    }
    // The numbers in the audit log count only webhooks that were called.
    const asked = chosen.map((candidate, index) =>
      webhooks.ask({ ...candidate, index }, request, objects, () => undefined),
    );
    // It waits for the results of all webhooks before it refuses.
    for (const outcome of await Promise.allSettled(asked)) if (outcome.status === 'rejected') throw outcome.reason;
  };

  return {
    name: 'ValidatingAdmissionWebhook',
    handles: mayAskWebhooks(environment.gates),
    validate(request) {
      const candidates = webhooks.candidates(request);
      return candidates.length === 0 ? undefined : askAll(request, candidates);
    },
  };
}
