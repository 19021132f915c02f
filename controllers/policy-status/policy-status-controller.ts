import type { Client } from '#client/client.ts';
import { isConflict, isNotFound } from '#client/errors.ts';
import type { ResourceType } from '#client/resource-type.ts';
import type { ValidatingAdmissionPolicy } from '#schema/generated/admissionregistration.v1.ts';
import type { CelType } from '#server/expressions/cel-type.ts';
import { controller } from '../controller.ts';
import { type DocumentSchema, DocumentTypes, type ExtensionNames } from './document-types.ts';
import { expressionWarnings } from './expression-warnings.ts';
import { type Kind, matchedKinds } from './matched-kinds.ts';

const NAME = 'validatingadmissionpolicy-status';
const GROUP = 'admissionregistration';
const PLURAL = 'validatingadmissionpolicies';
/** The key for the check whether policies are served. No policy has this name. */
const LOOK = '';
const LOOK_AGAIN_MS = 60_000;

interface Document {
  readonly components?: { readonly schemas?: Readonly<Record<string, DocumentSchema>> };
}

/** Writes the type errors in each policy's expressions into its status, with the generation that was checked. */
export const policyStatusController = controller({
  name: `${NAME}-controller`,
  account: `${NAME}-controller`,
  needs: [],

  start({ client, discovery, informers, naming, queue, log, signal }) {
    const extensions: ExtensionNames = {
      kinds: `${naming.extensionPrefix}group-version-kind`,
      intOrString: `${naming.extensionPrefix}int-or-string`,
    };
    let policies: ResourceType<ValidatingAdmissionPolicy> | undefined;

    const names = queue(async (name) => {
      if (name === LOOK) {
        await look();
        return policies === undefined ? { afterMs: LOOK_AGAIN_MS } : undefined;
      }
      const resource = client.resource(policies!);
      const policy = await resource.get(name).catch((error) => {
        if (!isNotFound(error)) throw error;
      });
      const { generation = 0, uid, resourceVersion } = policy?.metadata ?? {};
      if (policy === undefined || generation <= (policy.status?.observedGeneration ?? 0)) return undefined;
      const found = await warningsOf(policy);
      const typeChecking = found.length === 0 ? {} : { expressionWarnings: found };
      const status = { observedGeneration: generation, typeChecking };
      await resource
        .apply({ metadata: { name, uid, resourceVersion }, status } as never, {
          fieldManager: NAME,
          force: true,
          subresource: 'status',
        })
        .catch((error) => {
          // The policy has changed in the meantime. The copy will show it.
          if (!isNotFound(error) && !isConflict(error)) throw error;
        });
      log.info({ policy: name, generation, warnings: found.length }, 'checked the expressions of a policy');
      return undefined;
    });

    const look = async (): Promise<void> => {
      const { types } = await discovery.since(performance.now());
      const group = naming.group(GROUP);
      policies = types.find((type) => type.group === group && type.plural === PLURAL) as typeof policies;
      if (policies === undefined) return;
      const changed = ({ metadata }: { readonly metadata: { readonly name?: string } }) => names.add(metadata.name!);
      informers.of(policies).on({ added: changed, updated: changed }, signal);
    };

    const warningsOf = async (policy: ValidatingAdmissionPolicy) => {
      const discovered = await discovery.get();
      const documents = new Documents(client, extensions);
      const kinds = [];
      for (const kind of matchedKinds(policy, discovered)) {
        const type = await documents.typeOf(kind);
        if (type !== undefined) kinds.push({ ...kind, type });
      }
      const { apiVersion = '', kind = '' } = policy.spec?.paramKind ?? {};
      const slash = apiVersion.indexOf('/');
      const of = { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1), kind };
      return expressionWarnings(policy, kinds, kind === '' ? undefined : await documents.typeOf(of));
    };

    names.add(LOOK);
  },
});

/** The documents of a server, each read once for a policy. */
class Documents {
  readonly #client: Client;
  readonly #extensions: ExtensionNames;
  readonly #read = new Map<string, Promise<DocumentTypes | undefined>>();

  constructor(client: Client, extensions: ExtensionNames) {
    this.#client = client;
    this.#extensions = extensions;
  }

  /** The type of the objects of a kind; undefined if no document contains it. */
  async typeOf({ group, version, kind }: Kind): Promise<CelType | undefined> {
    const path = group === '' ? `/openapi/v3/api/${version}` : `/openapi/v3/apis/${group}/${version}`;
    let types = this.#read.get(path);
    if (types === undefined) this.#read.set(path, (types = this.#types(path)));
    return (await types)?.ofKind(group, version, kind);
  }

  async #types(path: string): Promise<DocumentTypes | undefined> {
    try {
      const { components } = await this.#client.getJson<Document>(path);
      return new DocumentTypes(components?.schemas ?? {}, this.#extensions);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
