import type { Naming } from '#base/naming/naming.ts';
import type { Client } from '#client/client.ts';
import { isAlreadyExists, isConflict, isNamespaceTerminating, isNotFound } from '#client/errors.ts';
import type { EventRecorder } from '#client/events/recorder.ts';
import { coreV1 } from '#client/generated/resources.ts';
import type { MetadataObject } from '#client/resource-client.ts';
import type { ResourceType } from '#client/resource-type.ts';
import type { Pod, PodTemplateSpec } from '#schema/generated/core.v1.ts';
import type { ApiObject, ObjectMeta } from '#schema/objects/api-object.ts';
import { controllerReference } from './owners.ts';

/** The longest name of a pod before its random suffix. */
const LONGEST_PREFIX = 248;

/**
 * A new pod of a template, controlled by an owner. If `more` has no name, the server completes the name.
 *
 * @param more overrides the metadata of the template, including the name
 */
export function podOf<T extends ApiObject>(
  type: ResourceType<T>,
  owner: T,
  template: PodTemplateSpec,
  naming: Naming,
  more: ObjectMeta = {},
): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const { namespace, name } = owner.metadata;
  const pod: Pod = {
    metadata: {
      namespace: namespace!,
      generateName: `${name!.slice(0, LONGEST_PREFIX)}-`,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(finalizers === undefined ? {} : { finalizers }),
      ...more,
      ownerReferences: [controllerReference(type, owner, naming)],
    },
  };
  if (template.spec !== undefined) pod.spec = template.spec;
  return pod;
}

/** The messages of Events about a pod that was created or deleted, or about a failure to do so. */
export interface PodWords {
  readonly created: (pod: string) => string;
  readonly notCreated: (pod: string, error: string) => string;
  readonly deleted: (pod: string) => string;
  readonly notDeleted: (pod: string, error: string) => string;
}

const WORDS: PodWords = {
  created: (pod) => `Created pod: ${pod}`,
  notCreated: (_, error) => `Error creating: ${error}`,
  deleted: (pod) => `Deleted pod: ${pod}`,
  notDeleted: (_, error) => `Error deleting: ${error}`,
};

/** Creates and deletes the pods of an owner, and reports this to users by Events of the owner. */
export class PodWriter<T extends ApiObject> {
  readonly #type: ResourceType<T>;
  readonly #owner: T;
  readonly #client: Client;
  readonly #events: EventRecorder;
  readonly #words: PodWords;

  /** @param client a client that remembers its writes; see `Expectations` */
  constructor(type: ResourceType<T>, owner: T, client: Client, events: EventRecorder, words: PodWords = WORDS) {
    this.#type = type;
    this.#owner = owner;
    this.#client = client;
    this.#events = events;
    this.#words = words;
  }

  /** Creates a pod. Resolves to undefined if its namespace is being deleted, because the pod is then not needed. */
  async create(pod: Pod): Promise<MetadataObject | undefined> {
    try {
      const created = await this.#pods.create(pod as MetadataObject);
      this.#events.normal(
        this.#type,
        this.#owner,
        'SuccessfulCreate',
        this.#words.created(created.metadata.name ?? ''),
      );
      return created;
    } catch (error) {
      if (isNamespaceTerminating(error)) return undefined;
      // The existing pod with the name may end soon.
      if (!isAlreadyExists(error)) {
        const message = this.#words.notCreated(pod.metadata.name ?? '', (error as Error).message);
        this.#events.warn(this.#type, this.#owner, 'FailedCreate', message);
      }
      throw error;
    }
  }

  /**
   * Deletes a pod in the version of its copy. Resolves to false if the pod was already gone.
   *
   * @throws ApiError (409) if the pod has changed since
   */
  async delete({ metadata: { name = '', uid, resourceVersion } }: Pod): Promise<boolean> {
    try {
      await this.#pods.delete(name, { preconditions: { uid, resourceVersion } });
      this.#events.normal(this.#type, this.#owner, 'SuccessfulDelete', this.#words.deleted(name));
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      if (!isConflict(error)) {
        const message = this.#words.notDeleted(name, (error as Error).message);
        this.#events.warn(this.#type, this.#owner, 'FailedDelete', message);
      }
      throw error;
    }
  }

  get #pods() {
    // Only the metadata of the answers is read.
    return this.#client.resource(coreV1.pods).in(this.#owner.metadata.namespace).metadataOnly();
  }
}
