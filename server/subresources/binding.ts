import { notSupported, required } from '#base/errors/field-error.ts';
import { badRequest, conflict, invalid, notFound } from '#base/errors/status-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type { Binding, Pod } from '#schema/generated/core.v1.ts';
import type { AdmissionRequest } from '../api/admission.ts';
import type { ResourceHandler } from '../api/resource-handler.ts';
import { writeOptions } from '../api/write-options.ts';
import { storedObject } from '../resources/built-in-reading.ts';
import { modelOf } from '../resources/message-model.ts';
import type { Registry } from '../resources/registry.ts';
import { decodeBody } from '../verbs/decode-body.ts';
import { keyOf } from '../verbs/get.ts';
import { matchNamespace, timestamp } from '../verbs/object-meta.ts';
import { prepareUpdate } from '../verbs/prepare-update.ts';
import { updateLoop } from '../verbs/update-loop.ts';
import { writeContext } from '../verbs/write-context.ts';
import { createdAnswer } from './created-answer.ts';

function check(binding: Binding): void {
  const { target } = binding;
  const errors = [
    ...((target?.kind ?? '') !== '' && target!.kind !== 'Node'
      ? [notSupported('target.kind', target!.kind, ['Node', '<empty>'])]
      : []),
    ...((target?.name ?? '') === '' ? [required('target.name')] : []),
  ];
  if (errors.length > 0) throw invalid({ group: '', kind: 'Binding' }, binding.metadata.name ?? '', errors);
}

function markScheduled(pod: Pod): void {
  const conditions = (pod.status?.conditions ?? []).filter((condition) => condition.type !== 'PodScheduled');
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: timestamp() };
  pod.status = { ...pod.status, conditions: [...conditions, scheduled] };
}

const POD = { group: '', resource: 'pods' };

/** Assigns a pod to a node, once: POST to `bindings` or to the pod's `binding`. */
export function bindingHandler(registry: Registry): ResourceHandler {
  const pods = registry.findStored('', 'v1', 'pods');
  const expected = { kind: 'Binding', apiVersion: 'v1', model: modelOf(registry.schema.message('core.v1.Binding')) };
  return async (served, context) => {
    const { namespace } = context.info;
    const options = writeOptions(context, 'CreateOptions', registry);
    const sent = (await decodeBody(registry, context, expected, options.fieldValidation)) as Binding;
    matchNamespace(pods, sent, namespace);
    const name = context.info.name === '' ? (sent.metadata.name ?? '') : context.info.name;
    if (name === '') throw badRequest('Name parameter required.');
    const admission = {
      operation: 'CREATE' as const,
      // Rules of admission name the resource like the path: `bindings`, or `pods/binding`.
      served,
      subresource: context.info.subresource,
      kind: { group: '', version: 'v1', kind: 'Binding' },
      namespace,
      name,
      object: sent,
      oldObject: undefined,
    };
    const rest = { options: { kind: options.kind }, dryRun: options.dryRun, context };
    const write = writeContext(registry, pods, context, options.dryRun);
    const admitted = { ...admission, ...rest, rests: write.rests } as AdmissionRequest;
    await registry.admission.mutate(admitted);
    const binding = admitted.object as Binding;
    if ((binding.metadata.name ?? '') !== name) throw badRequest('name in URL does not match name in Binding object');
    await registry.admission.validate(admitted);
    check(binding);
    const subject = { group: '', resource: 'pods/binding' };
    const request = {
      registry,
      served: pods,
      context,
      write,
      subresource: 'binding',
      options: { kind: options.kind },
      dryRun: options.dryRun,
      admitted: true as const,
    };
    await updateLoop(registry, pods, context, keyOf(namespace, name), write, async (current) => {
      if (current === undefined) throw notFound(POD, name);
      const old = storedObject(registry, pods.stored, current) as Pod;
      const uid = binding.metadata.uid ?? '';
      if (uid !== '' && uid !== current.uid) throw conflict(POD, name, `the pod's uid is ${current.uid}`);
      const wanted = binding.metadata.resourceVersion ?? '';
      if (wanted !== '' && wanted !== String(current.revision)) throw conflict(POD, name, 'the pod was changed');
      if ((old.metadata.deletionTimestamp ?? null) !== null) {
        throw conflict(subject, name, `pod ${name} is being deleted, cannot be assigned to a host`);
      }
      if ((old.spec?.nodeName ?? '') !== '') {
        throw conflict(subject, name, `pod ${name} is already assigned to node ${JSON.stringify(old.spec!.nodeName)}`);
      }
      if ((old.spec?.schedulingGates ?? []).length > 0) {
        throw conflict(subject, name, `pod ${name} has non-empty .spec.schedulingGates`);
      }
      const pod = cloneJson(old);
      pod.spec = { ...pod.spec!, nodeName: binding.target.name! };
      if (binding.metadata.annotations !== undefined) {
        pod.metadata.annotations = { ...pod.metadata.annotations, ...binding.metadata.annotations };
      }
      markScheduled(pod);
      return prepareUpdate(request, pod, old);
    });
    return createdAnswer(registry);
  };
}
