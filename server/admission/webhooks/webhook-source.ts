import type { MutatingWebhookConfiguration } from '#schema/generated/admissionregistration.v1.ts';
import type { ClusterView } from '../cluster-view.ts';
import { FollowedKind } from '../followed-kind.ts';
import { type Webhook, webhooksOf } from './webhook.ts';

export type ConfigurationKind = 'mutatingwebhookconfigurations' | 'validatingwebhookconfigurations';

/** The webhooks of all stored configurations of one kind, kept up to date from the watch cache. */
export class WebhookSource extends FollowedKind<MutatingWebhookConfiguration, Webhook> {
  constructor(cluster: ClusterView, plural: ConfigurationKind) {
    super(cluster, 'admissionregistration', plural, webhooksOf);
  }
}
