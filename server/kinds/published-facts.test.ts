import assert from 'node:assert/strict';
import type { FieldError } from '#base/errors/field-error.ts';
import { StatusError } from '#base/errors/status-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { defaultRelease, latestRelease } from '#base/release/release.ts';
import { asJson } from '#schema/objects/as-json.ts';
import { normalize } from '#schema/objects/normalize.ts';
import { defaulted, everyKind, type KindVersion, stored } from './testing/every-kind.ts';
import { type Fact, factsOfField } from './testing/field-facts.ts';
import { moreObjects, parts } from './testing/parts.ts';
import { type FieldPlace, textOf, valueAt, withValue, writtenFields } from './testing/places.ts';
import { validObjects } from './testing/valid-objects.ts';

// With all gates, because without its gate a field is dropped before a rule looks at it.
const ALL = { AllAlpha: true, AllBeta: true };
const byDefault = [...everyKind(defaultRelease, ALL)];
const known = new Set(byDefault.map(({ message }) => message.name));
const kinds = [...byDefault, ...[...everyKind(latestRelease, ALL)].filter(({ message }) => !known.has(message.name))];

/**
 * Facts that the server does not check in some kinds, although the documents state them wherever the message is used.
 */
const ELSEWHERE: readonly [kind: RegExp, place: RegExp, why: string][] = [
  [/^apps.v1.StatefulSet$/, /^spec.template.spec./, 'only labels of this template are looked at'],
  [/^apps.v1.StatefulSet$/, /^spec.volumeClaimTemplates\[/, 'claims are looked at when they are made'],
  [/^autoscaling/, /.metric.selector.matchExpressions/, 'the source of the metric looks at it'],
  [/^storage.v1.VolumeAttachment$/, /^spec.source.inlineVolumeSpec/, 'the driver looks at it'],
  [/^(apps.v1|core.v1.Repl)/, /^spec.template.spec.(restartPolicy|activeDeadlineSeconds)$/, 'pods of it never end'],
  [/^batch.v1/, /template.spec.restartPolicy$/, 'pods of it end, so that Always is refused'],
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

/** Whether the same object is taken with one value and refused with the next. */
function holds(kind: KindVersion, place: FieldPlace, { taken, refused, as }: Fact, sample: JsonObject): boolean {
  const { way } = place;
  // other versions than the stored one name places otherwise
  const sameNames = kind.message === kind.stored;
  return [false, true].some((alone) => {
    const good = createErrors(kind, withValue(sample, place, taken, alone));
    if (sameNames && good.some(({ field }) => field === textOf(way))) return false;
    const before = new Set(good.map(({ text }) => text));
    return createErrors(kind, withValue(sample, place, refused, alone)).some(
      ({ text, type }) => !before.has(text) && (as === undefined || as === type),
    );
  });
}

/** A value that differs from another one in one text, number or yes. */
function changed(value: JsonValue, others: readonly string[] | undefined): JsonValue {
  if (typeof value === 'string') return others?.find((other) => other !== value) ?? `${value}x`;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  const copy = cloneJson(value) as Record<string, JsonValue>;
  const [name] = Object.keys(copy);
  return name === undefined ? value : Object.assign(copy, { [name]: changed(copy[name]!, undefined) });
}

let checked = 0;

for (const kind of kinds) {
  describe(`what documents say of ${kind.title}`, () => {
    const samples = samplesOf(kind);
    const places = [...writtenFields(kind.message, ({ name }) => parts[name])].filter(
      ({ way }) => !ELSEWHERE.some(([of, place]) => of.test(kind.message.name) && place.test(textOf(way))),
    );
    /** The facts that do not hold of any sample. */
    const wrong = (facts: (place: FieldPlace) => readonly [says: string, holds: (sample: JsonObject) => boolean][]) =>
      places.flatMap((place) =>
        facts(place).flatMap(([says, holdsOf]) => {
          checked++;
          const name = `${place.message.name}.${place.field.name} (${textOf(place.way)}): ${says}`;
          return samples.some(holdsOf) ? [] : [name];
        }),
      );

    it('is what the server takes and refuses', () => {
      const found = wrong((place) => {
        const own = samples.map((sample) => valueAt(sample, place.way)).find((value) => value !== undefined);
        const given = own ?? valueAt(place.parts.at(-1), place.way.slice(-1));
        return factsOfField(place.field, given).map((fact) => [fact.says, (one) => holds(kind, place, fact, one)]);
      });
      assert.deepEqual(found, []);
    });

    it('is what is set where nothing is', () => {
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

    it('is what cannot be changed', () => {
      const found = wrong((place) => {
        const isKept = (sample: JsonObject) => {
          const whole = asJson(defaulted(kind, normalize(kind.message, sample)));
          const value = valueAt(whole, place.way);
          if (value === undefined) return false;
          const after = withValue(whole, place, changed(value, place.field.enum), false);
          return updateErrors(kind, whole, whole).length === 0 && updateErrors(kind, whole, after).length > 0;
        };
        return place.field.bounds?.immutable === true ? [['cannot be changed', isKept]] : [];
      });
      assert.deepEqual(found, []);
    });
  });
}

describe('facts of documents', () => {
  it('are many', function () {
    this.test!.title = `${checked} facts of ${kinds.length} kinds are as the server does`;
    assert.ok(checked > 2000, `only ${checked} facts were checked`);
  });
});
