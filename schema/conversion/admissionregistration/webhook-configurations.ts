import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from '../../generated/admissionregistration.v1.ts';
import type { ApiObject } from '../../objects/api-object.ts';
import type { KindVersions } from '../version-rules.ts';

type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

function defaultWebhook(webhook: Pick<MutatingWebhook, 'namespaceSelector' | 'objectSelector'>): void {
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
}

/** The defaults of webhook configurations in each version. */
export const webhookConfigurationVersions = {
  v1: {
    defaults(object: ApiObject) {
      for (const webhook of (object as Configuration).webhooks ?? []) defaultWebhook(webhook);
    },
  },
} satisfies KindVersions;
