import type { JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { Namespace } from '#schema/generated/core.v1.ts';
import { asJson } from '#schema/objects/as-json.ts';
import type { Access } from '../../api/access.ts';
import type { AdmissionRequest } from '../../api/admission.ts';
import type { ServedResource } from '../../api/served-resource.ts';
import { type Ask, AuthorizerValue, ResourceCheckValue, rememberingAsk } from '../../expressions/access-values.ts';
import { REQUEST_RESOURCE } from '../../expressions/admission/variable-types.ts';
import type { CelValue } from '../../expressions/cel-value.ts';
import { valueOfJson } from '../../expressions/json-values.ts';
import { requestFields } from '../webhooks/review.ts';
import type { ReviewObjects, SeenObjects } from '../webhooks/review-objects.ts';

/** The values of variables, by their names. */
export type Inputs = (name: string) => CelValue;

/** The inputs of policy and webhook expressions for one request. Each part is created at its first use. */
export class RequestInputs {
  readonly #naming: Naming;
  readonly #request: AdmissionRequest;
  readonly #objects: ReviewObjects;
  readonly #ask: Ask;
  readonly #fields = new Map<ServedResource, CelValue>();

  constructor(naming: Naming, access: Access, request: AdmissionRequest, objects: ReviewObjects) {
    this.#naming = naming;
    this.#request = request;
    this.#objects = objects;
    this.#ask = rememberingAsk(access);
  }

  /**
   * The inputs of expressions that see the objects in one version.
   * @param namespace the namespace of the object; undefined if it has none
   */
  of(served: ServedResource, seen: SeenObjects, namespace?: Namespace, params?: JsonObject): Inputs {
    let object: CelValue | undefined;
    let oldObject: CelValue | undefined;
    return (name) => {
      switch (name) {
        case 'object':
          return (object ??= valueOfJson(seen.object));
        case 'oldObject':
          return (oldObject ??= valueOfJson(seen.oldObject));
        case 'request':
          return this.#requestIn(served);
        case 'namespaceObject':
          return namespace === undefined ? null : valueOfJson(seenNamespace(namespace));
        case 'params':
          return params === undefined ? null : valueOfJson(params);
        case 'authorizer':
          return this.#authorizer();
        case REQUEST_RESOURCE:
          return this.#requestResource();
        default:
          throw new Error(`no variable of admission is called ${name}`);
      }
    };
  }

  #requestIn(served: ServedResource): CelValue {
    let value = this.#fields.get(served);
    if (value === undefined) {
      value = valueOfJson(requestFields(this.#naming, this.#request, this.#objects, served));
      this.#fields.set(served, value);
    }
    return value;
  }

  #authorizer(): AuthorizerValue {
    return new AuthorizerValue(this.#ask, this.#request.context.user);
  }

  #requestResource(): ResourceCheckValue {
    const { served, subresource, namespace, name } = this.#request;
    const { group, version, type } = served;
    const target = { group, version, resource: type.plural, subresource, namespace, name };
    return new ResourceCheckValue(this.#authorizer(), target);
  }
}

/** The namespace for expressions, without its owners and managers. */
function seenNamespace({ metadata, spec, status }: Namespace): JsonObject {
  const { managedFields: _managers, ownerReferences: _owners, ...rest } = metadata;
  return { metadata: asJson(rest), ...(spec && { spec: asJson(spec) }), ...(status && { status: asJson(status) }) };
}
