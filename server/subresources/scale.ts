import { type FieldError, FieldPath } from '#base/errors/field-error.ts';
import { badRequest, invalid, notFound, pathNotFound, StatusError } from '#base/errors/status-error.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import type { Naming } from '#base/naming/naming.ts';
import { atOnce } from '#base/time/steps.ts';
import type { Scale } from '#schema/generated/autoscaling.v1.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import { standardFinalizers } from '#schema/validation/finalizers.ts';
import { subdomainName } from '#schema/validation/names.ts';
import { validateNonnegative } from '#schema/validation/numbers.ts';
import { validateObjectMeta } from '#schema/validation/object-meta.ts';
import { type Answer, object as objectAnswer } from '../api/answer.ts';
import { ObjectContent } from '../api/object-content.ts';
import { resourceVersion } from '../api/parse-query.ts';
import { patchFormat } from '../api/patch-format.ts';
import type { RequestContext } from '../api/request-context.ts';
import type { ResourceHandler } from '../api/resource-handler.ts';
import { hasStored, type ServedResource, type StoredServedResource } from '../api/served-resource.ts';
import { writeOptions } from '../api/write-options.ts';
import { clone, workingObject } from '../codecs/convert.ts';
import { type Registry, subjectOf } from '../resources/registry.ts';
import { complainOfDuplicates, readConfig } from '../verbs/apply-config.ts';
import { decodeBody, decodeValue } from '../verbs/decode-body.ts';
import type { Expected } from '../verbs/expected.ts';
import { readItem, requestedKey } from '../verbs/get.ts';
import { matchNamespace } from '../verbs/object-meta.ts';
import { patched, readPatch } from '../verbs/patched.ts';
import { requireUid, requireVersion } from '../verbs/precondition.ts';
import { prepareUpdate } from '../verbs/prepare-update.ts';
import { matchName } from '../verbs/update.ts';
import { updateLoop } from '../verbs/update-loop.ts';
import { writeContext } from '../verbs/write-context.ts';
import { scaleTable } from './scale-table.ts';
import { ScaleView } from './scale-view.ts';

const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

interface Change {
  /** The uid that the object must have, if the client names one. */
  readonly uid?: string | undefined;
  /** Makes the wanted scale from the live one. Throws to refuse the request. */
  make(live: Scale): Scale;
}

/**
 * The `scale` view of workloads: the wanted and the current number of replicas, and the selector of pods.
 */
export function scaleHandler(registry: Registry): ResourceHandler {
  const views = new WeakMap<ServedResource, ScaleView>();
  const viewOf = (served: ServedResource): ScaleView => {
    let view = views.get(served);
    if (view === undefined) views.set(served, (view = new ScaleView(registry, served)));
    return view;
  };
  const answer = (view: ScaleView, object: ApiObject): Answer =>
    objectAnswer(
      ObjectContent.ofObject(view.kind, view.apiVersion, view.model.message, shown(view.of(object)), scaleTable),
    );

  const read = async (served: StoredServedResource, context: RequestContext): Promise<Answer> => {
    const version = resourceVersion(context.query.get('resourceVersion'));
    const { type, stored } = served;
    // If the scale cannot be read, clients get the answer for a missing one.
    const group = type.group === '' ? 'autoscaling' : served.group;
    const resource = served.isCustom === true ? type.plural : `${type.plural}/scale`;
    const missing = notFound({ group, resource }, context.info.name);
    const found = Promise.resolve(readItem(registry, stored, requestedKey(served, context.info), version));
    const item = await found.catch((error: unknown) => {
      throw error instanceof StatusError && error.code === 504 ? missing : error;
    });
    if (item === undefined) throw missing;
    const view = viewOf(served);
    const object = await workingObject(served, item);
    if (served.isCustom === true && view.place.wanted(object) === undefined) throw unsaid(view.place.path);
    return answer(view, object);
  };

  /** The scale after the change that the body asks for. */
  const changeOf = async (
    served: ServedResource,
    view: ScaleView,
    context: RequestContext,
    options: ReturnType<typeof writeOptions>,
  ): Promise<Change> => {
    const expected: Expected = view;
    const decode = (value: JsonObject): Scale =>
      decodeValue(registry, { value, duplicates: [] }, expected, options.fieldValidation, context) as Scale;
    if (context.info.method === 'PUT') {
      const body = await decodeBody(registry, context, expected, options.fieldValidation);
      checkIdentity(served, body, context);
      return { uid: body.metadata.uid, make: () => body as Scale };
    }
    if (isApply(context, view)) {
      // The fields of a scale have other names in the object, so the managers of both would mix.
      if (served.isCustom === true) throw badRequest('apply is not supported on the scale of a custom resource');
      const given = await readConfig(context, expected);
      const writer = { manager: options.fieldManager, force: options.force };
      return {
        make: (live) => {
          const { config, duplicates } = given();
          const applied = view.apply(live, config, writer);
          complainOfDuplicates(duplicates, options.fieldValidation, context);
          return decode(asJson(applied));
        },
      };
    }
    const patch = await readPatch(context, expected, options.fieldValidation);
    return {
      make: (live) => atOnce(patched(registry, patch, asJson(live), () => undefined)) as Scale,
    };
  };

  const write = async (served: StoredServedResource, context: RequestContext): Promise<Answer> => {
    const view = viewOf(served);
    const { name, method } = context.info;
    const applies = isApply(context, view);
    const kind = method === 'PUT' ? 'UpdateOptions' : 'PatchOptions';
    const options = writeOptions(context, kind, registry, applies);
    const { uid: asked = '', make } = await changeOf(served, view, context, options);
    const written = writeContext(registry, served, context, options.dryRun);
    const subject = subjectOf(served);
    const about = { served, context, subresource: 'scale', options: { kind }, dryRun: options.dryRun };
    const request = { ...about, registry, write: written, admitted: true as const };
    const result = await updateLoop(
      registry,
      served,
      context,
      requestedKey(served, context.info),
      written,
      async (current) => {
        requireUid(served, name, asked, current);
        if (current === undefined) throw notFound(subject, name);
        const old = await workingObject(served, current);
        const live = view.of(old);
        const wanted = make(live);
        checkIdentity(served, wanted, context);
        const version = resourceVersion(wanted.metadata.resourceVersion ?? '') ?? 0;
        requireVersion(served, name, version, current);
        const writer = { manager: options.fieldManager, force: options.force };
        const owners = applies ? view.ownersFrom(old, wanted) : view.owners(old, live, wanted, writer);
        const admission = {
          ...about,
          operation: 'UPDATE' as const,
          kind: SCALE,
          namespace: context.info.namespace,
          name,
          object: wanted as ApiObject,
          oldObject: live,
          rests: written.rests,
        };
        await registry.admission.mutate(admission);
        const replicas = (admission.object as Scale).spec?.replicas ?? 0;
        // The schema of a custom kind checks the number itself.
        const errors = served.isCustom === true ? [] : validateScale(admission.object as Scale, registry.naming);
        if (errors.length > 0) throw invalid({ group: 'autoscaling', kind: 'Scale' }, name, errors);
        const object = clone(old);
        view.place.want(object, replicas);
        // A different uid is refused like a change of the uid.
        if (wanted.metadata.uid) object.metadata.uid = wanted.metadata.uid;
        setOwners(object, owners);
        const outcome = await prepareUpdate(request, object, old);
        await registry.admission.validate({ ...admission, object: view.of(object) });
        return outcome;
      },
    );
    return result.kind === 'object' ? answer(view, asObject(result.content.object())) : result;
  };

  return (served, context) => {
    if (!hasStored(served)) throw pathNotFound();
    return (context.info.method === 'GET' || context.info.method === 'HEAD' ? read : write)(served, context);
  };
}

/** The errors of a scale that a client sent. They include errors of metadata that is not copied to the object. */
function validateScale({ metadata, spec }: Scale, naming: Naming): FieldError[] {
  const rules = { namespaced: true, validateName: subdomainName, standardFinalizers: standardFinalizers(naming) };
  return [
    ...validateObjectMeta(metadata, rules),
    ...validateNonnegative(spec?.replicas ?? 0, new FieldPath('spec.replicas')),
  ];
}

/** The refusal of a scale whose object does not contain the wanted number. */
function unsaid(path: string): StatusError {
  return new StatusError(404, 'NotFound', `the spec replicas field ${JSON.stringify(path)} does not exist`, {});
}

/** Answers do not show managed fields. */
function shown(scale: Scale): JsonObject {
  const { managedFields: _owners, ...metadata } = scale.metadata;
  return asJson({ ...scale, metadata });
}

/**
 * Checks that a scale is for the object that the path names.
 *
 * @throws StatusError (400)
 */
function checkIdentity(served: ServedResource, scale: ApiObject, { info }: RequestContext): void {
  matchName(scale, info.name);
  matchNamespace(served, scale, info.namespace);
}

function isApply(context: RequestContext, view: ScaleView): boolean {
  return context.info.method === 'PATCH' && patchFormat(context, view.model) === 'apply';
}

function setOwners(object: ApiObject, owners: ApiObject['metadata']['managedFields']): void {
  if (owners === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = owners;
}
