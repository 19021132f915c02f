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

/** What is filled in of webhook configurations, in each of their versions. */
export const webhookConfigurationVersions = {
  v1: {
    defaults(object: ApiObject) {
      for (const webhook of (object as Configuration).webhooks ?? []) defaultWebhook(webhook);
    },
  },
} satisfies KindVersions;
