import { notFound } from '#base/errors/status-error.ts';
import type { Namespace } from '#schema/generated/core.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Labels, Selector, Webhook } from './webhook.ts';

/** The namespace of a request. A namespace object belongs to itself. */
export function namespaceOf({ served, namespace, name, object, oldObject }: AdmissionRequest): string {
  if (!isNamespace(served)) return served.type.namespaced ? namespace : '';
  return name || (object ?? oldObject)?.metadata.name || '';
}

function isNamespace(served: AdmissionRequest['served']): boolean {
  return served.type.group === '' && served.type.plural === 'namespaces';
}

function labelsOf(object: ApiObject | undefined): Labels | undefined {
  return object?.metadata?.labels ?? undefined;
}

/** Whether a selector selects an object. The target of a connection is not an object with labels. */
function selectsObject(selector: Selector, { operation, object, oldObject }: AdmissionRequest): boolean {
  if (operation === 'CONNECT') return false;
  return (
    (object?.metadata !== undefined && selector(labelsOf(object))) ||
    (oldObject?.metadata !== undefined && selector(labelsOf(oldObject)))
  );
}

/** The selectors of a webhook or policy. */
type Selectors = Pick<Webhook, 'objectSelector' | 'namespaceSelector'>;

/** Decides whether the selectors of webhooks and policies select one request. It looks up the namespace only once. */
export class Selection {
  readonly #cluster: ClusterView;
  readonly #request: AdmissionRequest;
  #labels: Promise<Labels> | undefined;

  constructor(cluster: ClusterView, request: AdmissionRequest) {
    this.#cluster = cluster;
    this.#request = request;
  }

  /**
   * Whether a webhook or policy applies to the request of this selection.
   *
   * @throws StatusError (404) if the decision depends on the labels of a missing namespace
   */
  async selects({ objectSelector, namespaceSelector }: Selectors): Promise<boolean> {
    if (objectSelector !== undefined && !selectsObject(objectSelector, this.#request)) return false;
    if (namespaceSelector === undefined || !this.#isInNamespace) return true;
    this.#labels ??= this.#namespaceLabels();
    return namespaceSelector(await this.#labels);
  }

  /**
   * Whether the namespace selector selects the request. It always selects cluster-wide objects other than namespaces.
   */
  get #isInNamespace(): boolean {
    const { served } = this.#request;
    return served.type.namespaced || isNamespace(served);
  }

  async #namespaceLabels(): Promise<Labels> {
    const { served, operation, subresource, object } = this.#request;
    const writes = operation === 'CREATE' || operation === 'UPDATE';
    if (isNamespace(served) && subresource === '' && writes) return labelsOf(object) ?? {};
    const name = namespaceOf(this.#request);
    const namespace = await this.#cluster.find<Namespace>('', 'namespaces', name);
    if (namespace === undefined) throw notFound({ group: '', resource: 'namespaces' }, name);
    return labelsOf(namespace) ?? {};
  }
}
