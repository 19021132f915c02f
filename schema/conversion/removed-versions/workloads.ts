import { cloneJson } from '#base/json/clone-json.ts';
import { isObject, type JsonNumber, type JsonObject } from '#base/json/json-value.ts';
import { int64Text, textInt64 } from './int64.ts';
import { dropEmpty, fill, made, objectAt, type RemovedForm, rewrite } from './removed-form.ts';

const MAX_INT32 = 2 ** 31 - 1;

/** The annotation of the successor that contains a field of the removed version. */
const ROLLBACK_TO = 'deprecated.deployment.rollback.to';

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** A workload without a selector used the labels of its pods. If it had no labels itself, it got these labels too. */
function takeTemplateLabels(object: JsonObject): void {
  const labels = objectAt(object, 'spec', 'template', 'metadata', 'labels');
  const spec = objectAt(object, 'spec');
  if (labels === undefined || spec === undefined) return;
  fill(spec, 'selector', { matchLabels: cloneJson(labels) });
  const metadata = made(object, 'metadata');
  const own = metadata?.labels ?? {};
  if (metadata !== undefined && isObject(own) && Object.keys(own).length === 0) metadata.labels = cloneJson(labels);
}

/** Fills in the type of the strategy that replaces pods, if the object has none. */
function fillStrategy(spec: JsonObject | undefined, field: string, type: string): JsonObject | undefined {
  const strategy = made(spec, field);
  if (strategy !== undefined) strategy.type ||= type;
  return strategy;
}

/** Sets an annotation, or removes it if there is no value. */
function annotate(object: JsonObject, key: string, text: string | undefined): void {
  const metadata = made(object, 'metadata');
  if (text !== undefined) {
    const annotations = made(metadata, 'annotations');
    if (annotations !== undefined) annotations[key] = text;
  } else delete objectAt(object, 'metadata', 'annotations')?.[key];
}

/**
 * Removes an annotation that contains a number, and returns the number. If no annotations are left, their field is
 * removed too.
 */
function takeNumber(object: JsonObject, key: string): number | JsonNumber | undefined {
  const annotations = objectAt(object, 'metadata', 'annotations');
  const number = textInt64(annotations?.[key]);
  if (annotations === undefined || number === undefined) return undefined;
  delete annotations[key];
  if (Object.keys(annotations).length === 0) delete objectAt(object, 'metadata')!.annotations;
  return number;
}

/** Inserts a field before another field, or at the end if the other field is missing. */
function insertBefore(object: JsonObject | undefined, next: string, field: string, value: JsonObject[string]): void {
  const there = object !== undefined && Object.hasOwn(object, next);
  rewrite(object, (key, own) =>
    key === next
      ? [
          [field, value],
          [key, own],
        ]
      : [[key, own]],
  );
  if (object !== undefined && !there) object[field] = value;
}

function rollbackToPresent(object: JsonObject): void {
  const rollback = objectAt(object, 'spec', 'rollbackTo');
  const revision = rollback && int64Text(rollback.revision, object, 'spec.rollbackTo.revision');
  annotate(object, ROLLBACK_TO, revision);
}

function deploymentFromPresent(object: JsonObject): void {
  const spec = objectAt(object, 'spec');
  dropEmpty(spec, 'selector');
  const revision = takeNumber(object, ROLLBACK_TO);
  if (revision === undefined) return;
  insertBefore(spec, 'progressDeadlineSeconds', 'rollbackTo', revision === 0 ? {} : { revision });
}

/** Deployments of `apps/v1beta1`. */
export const appsDeployment: RemovedForm = {
  toSuccessor(object) {
    takeTemplateLabels(object);
    const spec = objectAt(object, 'spec');
    if (spec !== undefined) fill(spec, 'revisionHistoryLimit', 2);
    rollbackToPresent(object);
  },
  fromSuccessor: deploymentFromPresent,
};

/** Deployments of `extensions/v1beta1`. By default they have no deadline, and keep all old replica sets. */
export const extensionsDeployment: RemovedForm = {
  toSuccessor(object) {
    takeTemplateLabels(object);
    const spec = objectAt(object, 'spec');
    const strategy = fillStrategy(spec, 'strategy', 'RollingUpdate');
    if (strategy?.type === 'RollingUpdate' || strategy?.rollingUpdate != null) {
      const rolling = made(strategy, 'rollingUpdate');
      for (const limit of rolling === undefined ? [] : ['maxUnavailable', 'maxSurge']) fill(rolling!, limit, 1);
    }
    for (const limit of spec === undefined ? [] : ['progressDeadlineSeconds', 'revisionHistoryLimit'])
      fill(spec!, limit, MAX_INT32);
    rollbackToPresent(object);
  },
  fromSuccessor: deploymentFromPresent,
};

/** Replica sets of `extensions/v1beta1`. */
export const replicaSet: RemovedForm = {
  toSuccessor: takeTemplateLabels,
  fromSuccessor: (object) => dropEmpty(objectAt(object, 'spec'), 'selector'),
};

/** Daemon sets of `extensions/v1beta1`. A field contains the number of changes of their template. */
export const daemonSet: RemovedForm = {
  toSuccessor(object) {
    takeTemplateLabels(object);
    const spec = objectAt(object, 'spec');
    fillStrategy(spec, 'updateStrategy', 'OnDelete');
    annotate(object, TEMPLATE_GENERATION, int64Text(spec?.templateGeneration, object, 'spec.templateGeneration'));
  },
  fromSuccessor(object) {
    const spec = objectAt(object, 'spec');
    dropEmpty(spec, 'selector');
    const generation = takeNumber(object, TEMPLATE_GENERATION) ?? 0;
    if (generation !== 0) insertBefore(spec, 'revisionHistoryLimit', 'templateGeneration', generation);
  },
};

/** Stateful sets of `apps/v1beta1`. By default, a pod is replaced only after a client deletes it. */
export const statefulSet: RemovedForm = {
  toSuccessor(object) {
    takeTemplateLabels(object);
    fillStrategy(objectAt(object, 'spec'), 'updateStrategy', 'OnDelete');
  },
  fromSuccessor: (object) => dropEmpty(objectAt(object, 'spec'), 'selector'),
};
