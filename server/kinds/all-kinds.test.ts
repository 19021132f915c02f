import assert from 'node:assert/strict';
import fc from 'fast-check';
import { StatusError } from '#base/errors/status-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { defaultRelease, latestRelease } from '#base/release/release.ts';
import { kindVersions } from '#schema/conversion/index.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import { normalize } from '#schema/objects/normalize.ts';
import { arbitraryObject } from '../codecs/protobuf/arbitrary-object.test.ts';
import { createFeatureGates } from '../config/feature-gates.ts';
import { defaulted, everyKind, type KindVersion, rulesOf, stored } from './testing/every-kind.ts';
import { validObjects } from './testing/valid-objects.ts';

const naming = createNaming('orch');
const gates = createFeatureGates(new Map());
const rules = rulesOf(defaultRelease);

const RUNS = { numRuns: 30 };

function served({ message, version }: KindVersion, object: ApiObject): ApiObject {
  const copy = cloneJson(object);
  return asObject(normalize(message, version.fromStorage?.(copy, { naming }) ?? copy));
}

function problems(version: KindVersion, object: ApiObject, old?: ApiObject): string[] {
  const { kind, context } = version;
  const errors = old === undefined ? kind.validate?.(object, context) : kind.validateUpdate?.(object, old, context);
  return (errors ?? []).map(({ text }) => text);
}

/** Runs a check. A refusal is a valid result, and any other error is a bug. */
function answers(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
  }
}

for (const version of [...everyKind(), ...everyKind(latestRelease)]) {
  describe(version.title, () => {
    const { message, kind, context } = version;
    const objects = arbitraryObject(message).map((object) => defaulted(version, object));

    it('gets its defaults only once', () => {
      fc.assert(
        fc.property(objects, (object) => {
          assert.deepEqual(defaulted(version, asJson(object)), object);
        }),
        RUNS,
      );
    });

    it('is converted from the storage version and back without loss', () => {
      fc.assert(
        fc.property(objects, (object) => {
          const there = stored(version, object);
          assert.deepEqual(stored(version, served(version, there)), there);
        }),
        RUNS,
      );
    });

    it('is either accepted or refused with a status, for any content', () => {
      fc.assert(
        fc.property(objects, objects, (one, other) => {
          const [object, old] = [stored(version, one), stored(version, other)];
          answers(() => {
            kind.prepareForCreate?.(object, context);
            problems(version, object);
          });
          answers(() => {
            kind.prepareForUpdate?.(object, old, context);
            problems(version, object, old);
          });
          for (const view of Object.values(kind.subresources ?? {})) {
            const changed = cloneJson(object);
            view.prepareForUpdate?.(changed, old, context);
            view.validateUpdate?.(changed, old, context);
          }
          kind.warnings?.(object, old, context);
          kind.canonicalize?.(object, context);
          const canonical = asObject(normalize(version.stored, object));
          kind.cells?.(canonical, { naming, release: defaultRelease, now: 0 });
          kind.rowConditions?.(canonical);
          for (const field of Object.values(kind.selectableFields ?? {})) field(canonical);
        }),
        RUNS,
      );
    });

    it('is valid when it is created and when it is updated without a change', () => {
      const sample = validObjects[message.name];
      assert.notEqual(sample, undefined);
      const namespace = message.resource?.namespaced === true ? { namespace: 'n' } : {};
      const { metadata = {}, ...rest } = sample as { metadata?: object };
      const sent = asJson({ metadata: { name: 'x', uid: 'u', ...namespace, ...metadata }, ...rest });
      const object = stored(version, defaulted(version, normalize(message, sent)));
      kind.prepareForCreate?.(object, context);
      assert.deepEqual(problems(version, object), []);
      const old = { ...cloneJson(object), metadata: { ...object.metadata, resourceVersion: '1' } };
      const same = cloneJson(old);
      kind.prepareForUpdate?.(same, old, context);
      assert.deepEqual(problems(version, same, old), []);
      const { metadata: _, ...content } = same;
      const { metadata: __, ...before } = old;
      assert.deepEqual(content, before, 'preparing an update that changes nothing changes nothing');
    });
  });
}

describe('the versions of kinds', () => {
  it('are the same in the server and in conversions without a server', () => {
    const served = [...rules].flatMap(([id, { versions }]) =>
      versions === undefined ? [] : [[id, versions] as const],
    );
    assert.deepEqual(new Map(served), kindVersions);
  });

  it('use only gates that are disabled by default', () => {
    const asked = new Set<string>();
    const noting = { enabled: (name: string) => !asked.add(name) };
    for (const { message, version } of everyKind()) {
      const sample = asJson({ metadata: { name: 'a' }, ...validObjects[message.name] });
      version.defaults?.(asObject(normalize(message, sample)), { naming, gates: noting, release: defaultRelease });
    }
    assert.ok(asked.size > 0);
    for (const name of asked) assert.equal(gates.enabled(name), false, name);
  });
});
