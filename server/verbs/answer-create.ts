import type { JsonObject } from '#base/json/json-value.ts';
import { trackUpdate } from '#schema/apply/update.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson } from '#schema/objects/as-json.ts';
import type { AdmissionRequest } from '../api/admission.ts';
import { object as objectAnswer } from '../api/answer.ts';
import { ObjectContent } from '../api/object-content.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { ResourceHandler } from '../api/resource-handler.ts';
import { writeOptions } from '../api/write-options.ts';
import { modelOf } from '../resources/message-model.ts';
import type { Registry } from '../resources/registry.ts';
import { decodeBody } from './decode-body.ts';
import { type Expected, expectedOf } from './expected.ts';
import type { Writer } from './managed-fields.ts';
import { matchNamespace } from './object-meta.ts';

/** The type of a subresource's body, if it differs from the kind of its resource. */
export interface AcceptedKind<T extends ApiObject> extends Expected {
  defaults(object: T): void;
  /**
   * Checks and completes the admitted object before validating plug-ins.
   *
   * @throws StatusError
   */
  prepare?(object: T, context: RequestContext): Promise<void>;
}

/**
 * The object with its writer as the owner of all fields. It is never stored, so there is no earlier object for a
 * comparison.
 */
function tracked<T extends ApiObject>(object: T, { model, apiVersion }: Expected, writer: Writer): T {
  const versions = {
    schema: (version: string) => (version === apiVersion ? model.applySchema : undefined),
    convert: (same: JsonObject) => same,
  };
  const updated = model.canonical(object);
  return trackUpdate({ ...writer, live: undefined, updated, apiVersion, versions, now: new Date() }) as unknown as T;
}

/**
 * Answers a POST of a kind that is not stored. The object goes through admission, and the answer contains the result.
 * `kind` is the kind that a subresource accepts.
 */
export function answerCreate<T extends ApiObject>(
  registry: Registry,
  answer: (object: T, context: RequestContext) => Promise<ApiObject>,
  kind?: AcceptedKind<T>,
): ResourceHandler {
  const [gvk] = kind?.model.message?.gvks ?? [];
  const own = gvk === undefined ? {} : { kind: gvk };
  const metadata = modelOf(registry.schema.message('meta.v1.ObjectMeta'));
  return async (served, context) => {
    const { namespace, name, subresource } = context.info;
    const options = writeOptions(context, 'CreateOptions', registry);
    const expected = kind ?? expectedOf(served);
    const sent = (await decodeBody(registry, context, expected, options.fieldValidation)) as T;
    matchNamespace(served, sent, namespace);
    const object = tracked(sent, expected, { manager: options.fieldManager, subresource });
    const request = { operation: 'CREATE' as const, served, subresource, namespace, name, context, ...own };
    const rest = { oldObject: undefined, options: { kind: options.kind }, dryRun: options.dryRun };
    const admitted: AdmissionRequest = { ...request, ...rest, object };
    await registry.admission.mutate(admitted);
    await kind?.prepare?.(admitted.object as T, context);
    await registry.admission.validate(admitted);
    const given = await answer(admitted.object as T, context);
    const answered = asJson({ ...given, metadata: metadata.canonical(given.metadata) });
    const content =
      kind === undefined
        ? ObjectContent.ofResource(served, answered)
        : ObjectContent.ofObject(kind.kind, kind.apiVersion, kind.model.message, answered);
    return objectAnswer(content, 201);
  };
}
