import { FieldPath } from '../../errors/field-error.ts';
import { badRequest, conflict, invalid, notFound, StatusError } from '../../errors/status-error.ts';
import { type Answer, object as objectAnswer } from '../../http/answer.ts';
import type { ResourceHandler } from '../../http/dispatch.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { applyPatch } from '../../patch/apply-patch.ts';
import { clone, storedObject } from '../../registry/convert.ts';
import { decodeBody, decodeValue, type Expected, parseText } from '../../registry/decode-body.ts';
import { readItem, requestedKey } from '../../registry/get.ts';
import { ObjectContent } from '../../registry/object-content.ts';
import { resourceVersion } from '../../registry/parse-query.ts';
import { patchKind } from '../../registry/patch.ts';
import { prepareUpdate } from '../../registry/prepare-update.ts';
import { type Registry, subjectOf } from '../../registry/registry.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import { MODIFIED, matchName } from '../../registry/update.ts';
import { updateLoop } from '../../registry/update-loop.ts';
import { writeContext } from '../../registry/write-context.ts';
import { writeOptions } from '../../registry/write-options.ts';
import type { ApiObject } from '../../schema/api-object.ts';
import type { Scale } from '../../schema/generated/autoscaling.v1.ts';
import type { JsonObject } from '../../schema/json-value.ts';
import { type LabelSelector, labelSelectorText } from '../common/label-selector.ts';
import { validateNonnegative } from '../common/numbers.ts';

/** What every kind that scales has. */
interface Scalable extends ApiObject {
  spec?: { replicas?: number; selector?: LabelSelector | Record<string, string> };
  status?: { replicas?: number };
}

/** Replication controllers select by a plain map, the others by a label selector. */
function selectorText(selector: LabelSelector | Record<string, string> | undefined): string {
  if (selector === undefined) return '';
  const plain = !('matchLabels' in selector) && !('matchExpressions' in selector);
  return labelSelectorText(plain ? { matchLabels: selector as Record<string, string> } : (selector as LabelSelector));
}

function scaleOf(object: Scalable): Scale {
  const { name, namespace, uid, resourceVersion: version, creationTimestamp } = object.metadata;
  const replicas = object.spec?.replicas ?? 0;
  const selector = selectorText(object.spec?.selector);
  return {
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(version === undefined ? {} : { resourceVersion: version }),
      creationTimestamp: creationTimestamp ?? null,
    },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: object.status?.replicas ?? 0, ...(selector === '' ? {} : { selector }) },
  } as Scale;
}

/** The `scale` view of workloads: how many replicas are wanted and there, and which pods they are. */
export function scaleHandler(registry: Registry): ResourceHandler {
  const { naming, schema } = registry;
  const expected: Expected = {
    kind: 'Scale',
    apiVersion: naming.apiVersion('autoscaling', 'v1'),
    message: schema.message('autoscaling.v1.Scale'),
  };
  const answer = (object: Scalable): Answer =>
    objectAnswer(
      ObjectContent.ofObject(
        expected.kind,
        expected.apiVersion,
        expected.message,
        scaleOf(object) as unknown as JsonObject,
      ),
    );

  const read = async (served: ServedResource, context: RequestContext): Promise<Answer> => {
    const version = resourceVersion(context.query.get('resourceVersion'));
    const { type, stored } = served;
    // clients know a scale that cannot be read as one that is not there
    const group = type.group === '' ? 'autoscaling' : served.group;
    const missing = notFound({ group, resource: `${type.plural}/scale` }, context.info.name);
    const item = await readItem(registry, stored!, requestedKey(served, context.info), version).catch(
      (error: unknown) => {
        throw error instanceof StatusError && error.code === 504 ? missing : error;
      },
    );
    if (item === undefined) throw missing;
    return answer(storedObject(registry, stored!, item, false) as Scalable);
  };

  const write = async (served: ServedResource, context: RequestContext): Promise<Answer> => {
    const { name, method } = context.info;
    const patching = method === 'PATCH';
    const options = writeOptions(context, patching ? 'PatchOptions' : 'UpdateOptions', naming);
    const kind = patching ? patchKind(context) : undefined;
    const body = patching ? undefined : await decodeBody(registry, context, expected, options.fieldValidation);
    const document = patching ? parseText('json', await context.readBody(), expected.kind).value : undefined;
    if (body !== undefined) matchName(body, name);
    const written = writeContext(registry, served, context, options.dryRun);
    const subject = subjectOf(served);
    const request = {
      registry,
      served,
      context,
      write: written,
      subresource: 'scale',
      options: { kind: options.kind },
      dryRun: options.dryRun,
    };
    const result = await updateLoop(registry, served, requestedKey(served, context.info), written, async (current) => {
      if (current === undefined) throw notFound(subject, name);
      const old = storedObject(registry, served.stored!, current, false) as Scalable;
      const live = scaleOf(old);
      const wanted =
        kind === undefined
          ? body!
          : decodeValue(
              registry,
              { value: applyPatch(kind, expected.message, live as unknown as JsonObject, document!), duplicates: [] },
              expected,
              options.fieldValidation,
              context,
            );
      const version = resourceVersion(wanted.metadata.resourceVersion ?? '') ?? 0;
      if (version !== 0 && version !== current.revision) throw conflict(subject, name, MODIFIED);
      const uid = wanted.metadata.uid ?? '';
      if (uid !== '' && uid !== current.uid) throw badRequest('the uid of the scale is not that of the object');
      const replicas = (wanted as Scale).spec?.replicas ?? 0;
      const errors = validateNonnegative(replicas, new FieldPath('spec.replicas'));
      if (errors.length > 0) throw invalid({ group: 'autoscaling', kind: 'Scale' }, name, errors);
      const object = clone(old);
      object.spec = { ...object.spec, replicas };
      return prepareUpdate(request, object, old);
    });
    return result.kind === 'object' ? answer(result.content.object() as unknown as Scalable) : result;
  };

  return (served, context) =>
    (context.info.method === 'GET' || context.info.method === 'HEAD' ? read : write)(served, context);
}
