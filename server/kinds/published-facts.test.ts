import assert from 'node:assert/strict';
import type { FieldError } from '#base/errors/field-error.ts';
import { StatusError } from '#base/errors/status-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { defaultRelease, latestRelease } from '#base/release/release.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { ObjectMeta } from '#schema/objects/api-object.ts';
import { asJson } from '#schema/objects/as-json.ts';
import { normalize } from '#schema/objects/normalize.ts';
import { subdomainName } from '#schema/validation/names.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '#schema/validation/object-meta.ts';
import { defaulted, everyKind, type KindVersion, stored } from './testing/every-kind.ts';
import { type Fact, factsOfField } from './testing/field-facts.ts';
import { moreObjects, parts } from './testing/parts.ts';
import {
  type FieldPlace,
  metadataFields,
  statusFields,
  textOf,
  valueAt,
  withValue,
  writtenFields,
} from './testing/places.ts';
import { validObjects } from './testing/valid-objects.ts';

// With all gates, because the server drops a field without its gate before it checks rules.
const ALL = { AllAlpha: true, AllBeta: true };
const kinds = [defaultRelease, latestRelease].flatMap((release) => [...everyKind(release, ALL)]);

/**
 * Facts that the server does not check in some kinds, although the documents state them for all uses of the message.
 */
const ELSEWHERE: readonly [kind: RegExp, place: RegExp, why: string][] = [
  [/^apps.v1.StatefulSet$/, /^spec.template.spec./, 'only labels of this template are looked at'],
  [/^apps.v1.StatefulSet$/, /^spec.volumeClaimTemplates\[/, 'claims are looked at when they are made'],
  [/^autoscaling/, /.metric.selector.matchExpressions/, 'the source of the metric looks at it'],
  [/^storage.v1.VolumeAttachment$/, /^spec.source.inlineVolumeSpec/, 'the driver looks at it'],
  [/^(apps.v1|core.v1.Repl)/, /^spec.template.spec.(restartPolicy|activeDeadlineSeconds)$/, 'pods of it never end'],
  [/^batch.v1/, /template.spec.restartPolicy$/, 'pods of it end, so that Always is refused'],
  [/^(?!core.v1.Pod$)/, /(securityContext.procMount|fileKeyRef.volumeName)$/, 'other fields must fit: a pod shows it'],
];

/** Valid objects of a kind, as a client sends them. */
function samplesOf({ message }: KindVersion): JsonObject[] {
  const namespace = message.resource?.namespaced === true ? { namespace: 'n' } : {};
  return [validObjects[message.name] as JsonObject, ...(moreObjects[message.name] ?? [])].map(
    ({ metadata = {}, ...rest }) =>
      ({ metadata: { name: 'x', uid: 'u', ...namespace, ...(metadata as JsonObject) }, ...rest }) as JsonObject,
  );
}

function asStored(kind: KindVersion, object: JsonObject) {
  return stored(kind, defaulted(kind, normalize(kind.message, object)));
}

function createErrors(kind: KindVersion, object: JsonObject): readonly FieldError[] {
  try {
    const created = asStored(kind, object);
    kind.kind.prepareForCreate?.(created, kind.context);
    return kind.kind.validate?.(created, kind.context) ?? [];
  } catch (error) {
    if (error instanceof StatusError) return [{ type: 'FieldValueInvalid', field: '', body: '', text: error.message }];
    throw error;
  }
}

function updateErrors(kind: KindVersion, before: JsonObject, after: JsonObject): readonly FieldError[] {
  const old = asStored(kind, before);
  kind.kind.prepareForCreate?.(old, kind.context);
  const object = asStored(kind, after);
  for (const one of [old, object]) Object.assign(one.metadata, { resourceVersion: '1' });
  kind.kind.prepareForUpdate?.(object, old, kind.context);
  return kind.kind.validateUpdate?.(object, old, kind.context) ?? [];
}

/** Errors of an object whose status a client writes through the subresource. */
function statusErrors(kind: KindVersion, sample: JsonObject, after: JsonObject): readonly FieldError[] {
  const { prepareForUpdate, validateUpdate } = kind.kind.subresources?.['status'] ?? {};
  const old = asStored(kind, sample);
  kind.kind.prepareForCreate?.(old, kind.context);
  const object = asStored(kind, after);
  for (const one of [old, object]) Object.assign(one.metadata, { resourceVersion: '1' });
  prepareForUpdate?.(object, old, kind.context);
  return validateUpdate?.(object, old, kind.context) ?? [];
}

/** Whether the same object is accepted with one value and refused with the next. */
function holds(
  kind: KindVersion,
  place: FieldPlace,
  { taken, refused, isWhole }: Fact,
  sample: JsonObject,
  errorsOf = createErrors,
): boolean {
  const { way } = place;
  // In versions other than the stored one, errors name fields by other paths.
  const sameNames = kind.message === kind.stored;
  return [false, true].some((alone) => {
    const good = errorsOf(kind, withValue(sample, place, taken, alone));
    if (sameNames && good.some(({ field }) => field === textOf(way))) return false;
    const before = new Set(good.map(({ text }) => text));
    return errorsOf(kind, withValue(sample, place, refused, alone)).some(
      ({ text, field }) => !before.has(text) && (isWhole === undefined || !sameNames || field === textOf(way)),
    );
  });
}

/** A value that differs from another one in one text, number or boolean. */
function changed(value: JsonValue, others: readonly string[] | undefined): JsonValue {
  if (typeof value === 'string' && value.startsWith('2020-')) return value.replace('2020', '2021');
  if (typeof value === 'string') return others?.find((other) => other !== value) ?? `${value}x`;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  const copy = cloneJson(value) as Record<string, JsonValue>;
  const name = Object.keys(copy).find((one) => !isEmpty(copy[one]!));
  return name === undefined ? value : Object.assign(copy, { [name]: changed(copy[name]!, undefined) });
}

function isEmpty(value: JsonValue): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/**
 * Messages of specs. The test checks their facts in the spec. A status with the same messages is checked less strictly.
 */
const inSpecs = new Set(
  kinds.flatMap(({ message }) => [...writtenFields(message, () => undefined)].map((place) => place.message)),
);

let checked = 0;

for (const kind of kinds) {
  describe(`the OpenAPI documents of ${kind.title}`, () => {
    const samples = samplesOf(kind);
    const places = [...writtenFields(kind.message, ({ name }) => parts[name])].filter(
      ({ way }) => !ELSEWHERE.some(([of, place]) => of.test(kind.message.name) && place.test(textOf(way))),
    );
    /** The facts that do not hold for any sample. */
    const wrong = (
      facts: (place: FieldPlace) => readonly [says: string, holds: (sample: JsonObject) => boolean][],
      among = places,
    ) =>
      among.flatMap((place) =>
        facts(place).flatMap(([says, holdsOf]) => {
          checked++;
          const name = `${place.message.name}.${place.field.name} (${textOf(place.way)}): ${says}`;
          return samples.some(holdsOf) ? [] : [name];
        }),
      );

    it('state the same rules as the server enforces', () => {
      const found = wrong((place) => {
        const own = samples.map((sample) => valueAt(sample, place.way)).find((value) => value !== undefined);
        const given = own ?? valueAt(place.parts.at(-1), place.way.slice(-1));
        return factsOfField(place.field, given).map((fact) => [fact.says, (one) => holds(kind, place, fact, one)]);
      });
      assert.deepEqual(found, []);
    });

    it('state the same rules as the server enforces for a status', () => {
      const found = wrong(
        (place) => {
          if (inSpecs.has(place.message)) return [];
          const given = valueAt(place.parts.at(-1), place.way.slice(-1));
          return factsOfField(place.field, given).map((fact) => [
            fact.says,
            (sample) => holds(kind, place, fact, sample, (_, after) => statusErrors(kind, sample, after)),
          ]);
        },
        [...statusFields(kind.message, ({ name }) => parts[name])],
      );
      assert.deepEqual(found, []);
    });

    it('state the defaults that the server sets', () => {
      const found = wrong((place) => {
        const { field, way } = place;
        const isDefault = (sample: JsonObject) =>
          [false, true].some((alone) => {
            const sent = withValue(sample, place, undefined, alone);
            const object = asJson(defaulted(kind, normalize(kind.message, sent)));
            return JSON.stringify(valueAt(object, way)) === JSON.stringify(field.defaultsTo);
          });
        return field.defaultsTo === undefined ? [] : [[`defaults to ${JSON.stringify(field.defaultsTo)}`, isDefault]];
      });
      assert.deepEqual(found, []);
    });

    it('state which fields cannot be changed', () => {
      const found = wrong((place) => {
        const isKept = (sample: JsonObject) => {
          const whole = asJson(defaulted(kind, normalize(kind.message, sample)));
          const value = valueAt(whole, place.way);
          if (value === undefined) return false;
          const after = withValue(whole, place, changed(value, place.field.enum), false);
          return updateErrors(kind, whole, whole).length === 0 && updateErrors(kind, whole, after).length > 0;
        };
        // Fields in a template describe the objects that are made from it.
        const isOwn = !place.way.some((step) => /[tT]emplate/.test(String(step)) && step !== place.field.name);
        return place.field.bounds?.immutable === true && isOwn ? [['cannot be changed', isKept]] : [];
      });
      assert.deepEqual(found, []);
    });
  });
}

describe('the OpenAPI documents of metadata', () => {
  const message = loadSchema().message('meta.v1.ObjectMeta');
  const valid: JsonObject = {
    name: 'x',
    namespace: 'n',
    uid: 'u',
    generation: 1,
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }],
    managedFields: [{ manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: {} }],
  };
  const errorsOf = (metadata: JsonValue): string[] =>
    validateObjectMeta(metadata as ObjectMeta, { namespaced: true, validateName: subdomainName }).map(
      ({ text }) => text,
    );

  it('state the same rules as the server enforces', () => {
    assert.deepEqual(errorsOf(valid), []);
    const places = [...metadataFields(message)];
    const wrong = places.flatMap((place) =>
      factsOfField(place.field, valueAt(valid, place.way)).flatMap(({ says, taken, refused }) => {
        checked++;
        const isTaken = errorsOf(withValue(valid, place, taken, false)).length === 0;
        const isRefused = errorsOf(withValue(valid, place, refused, false)).length > 0;
        return isTaken && isRefused ? [] : [`${textOf(place.way)}: ${says}`];
      }),
    );
    assert.deepEqual(wrong, []);
  });

  it('state which fields cannot be changed', () => {
    const old = { ...valid, resourceVersion: '1' };
    const kept = message.jsonFields.filter(({ bounds }) => bounds?.immutable === true).map(({ name }) => name);
    const changeable = kept.filter((name) => {
      checked++;
      const after = { ...old, [name]: 'other' };
      return validateObjectMetaUpdate(after as ObjectMeta, old as ObjectMeta).length === 0;
    });
    assert.deepEqual([kept, changeable], [['name', 'namespace'], []]);
  });
});

describe('the facts of all documents', () => {
  it('are many', function () {
    this.test!.title = `${checked} facts of ${kinds.length} kinds match the behavior of the server`;
    assert.ok(checked > 4500, `only ${checked} facts were checked`);
  });
});
