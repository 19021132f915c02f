import { internalError } from '#base/errors/status-error.ts';
import type { JsonValue } from '#base/json/json-value.ts';
import { stringify } from '#base/json/stringify.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import type { AdmissionPlugin, PluginEnvironment } from '../plugin.ts';
import { RememberedRounds } from '../rounds.ts';
import type { Candidate } from '../webhooks/candidates.ts';
import { orInternalSoon, patched, readPatch } from '../webhooks/patched-object.ts';
import { ReviewObjects } from '../webhooks/review-objects.ts';
import { Selection } from '../webhooks/selection.ts';
import { mayAskWebhooks, WebhookDispatcher } from '../webhooks/webhook-dispatcher.ts';

/** Calls the mutating webhooks one after the other, and applies their patches to the object. */
export function mutatingWebhook(environment: PluginEnvironment): AdmissionPlugin {
  const { naming } = environment;
  const webhooks = new WebhookDispatcher(environment, 'mutatingwebhookconfigurations');
  const remembered = new RememberedRounds();

  /** Adds the audit annotation of a call: the webhook, whether it changed the object, and the patch. */
  const annotate = (request: AdmissionRequest, candidate: Candidate, mutated: boolean, patch?: JsonValue): void => {
    const { annotations } = request.context;
    const round = request.reinvocation?.again === true ? 1 : 0;
    const key = (prefix: string): string =>
      naming.key(`${prefix}.webhook.admission/round_${round}_index_${candidate.index}`);
    const { configuration, name: webhook } = candidate.webhook;
    annotations.set(key('mutation'), JSON.stringify({ configuration, webhook, mutated }));
    if (patch === undefined) return;
    annotations.set(key('patch'), stringify({ configuration, webhook, patch, patchType: 'JSONPatch' }));
  };

  /** Whether the webhook changed the object. */
  const ask = async (candidate: Candidate, request: AdmissionRequest, objects: ReviewObjects): Promise<boolean> => {
    let changed = false;
    let applied: JsonValue[] | undefined;
    try {
      await webhooks.ask(candidate, request, objects, async ({ patch }) => {
        const operations = readPatch(patch);
        if (operations === undefined) return;
        const { served, webhook } = candidate;
        if (request.object === undefined) {
          throw internalError(
            `admission webhook ${JSON.stringify(webhook.name)} attempted to modify the object, which is not supported for this operation`,
          );
        }
        const result = patched(await objects.newObject(served), operations);
        changed = await orInternalSoon(() => objects.replace(served, result));
        applied = operations;
      });
    } finally {
      annotate(request, candidate, changed, applied);
    }
    return changed;
  };

  const askInTurn = async (request: AdmissionRequest, candidates: readonly Candidate[]): Promise<void> => {
    const { reinvocation } = request;
    const rounds = remembered.of(request);
    rounds.begin(request);
    if (rounds.isIdle(request)) return;
    const selection = new Selection(webhooks.cluster, request);
    const objects = new ReviewObjects(webhooks.cluster.registry, request);
    for (const candidate of candidates) {
      const { webhook } = candidate;
      if (!rounds.wants(request, webhook.id)) continue;
      if (!(await selection.selects(webhook))) continue;
      if (!(await webhooks.isWanted(candidate, request, objects))) continue;
      if (await ask(candidate, request, objects)) {
        rounds.changed();
        if (reinvocation !== undefined) reinvocation.wanted = true;
      }
      if (webhook.reinvoked) rounds.asked(webhook.id);
    }
    rounds.end(request);
  };

  return {
    name: 'MutatingAdmissionWebhook',
    handles: mayAskWebhooks(environment.gates),
    mutate(request) {
      const candidates = webhooks.candidates(request);
      return candidates.length === 0 ? undefined : askInTurn(request, candidates);
    },
  };
}
