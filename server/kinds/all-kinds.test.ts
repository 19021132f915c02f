import assert from 'node:assert/strict';
import fc from 'fast-check';
import { StatusError } from '#base/errors/status-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { defaultRelease, latestRelease, type Release } from '#base/release/release.ts';
import { kindVersions } from '#schema/conversion/index.ts';
import { type VersionRules, versionKey } from '#schema/conversion/version-rules.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import { storageId } from '#schema/descriptors/storage-id.ts';
import type { MessageType } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import { fillDefaults } from '#schema/objects/fill-defaults.ts';
import { normalize } from '#schema/objects/normalize.ts';
import { servicesOf } from '../allocation/service-allocation.ts';
import { ServiceRanges } from '../allocation/service-ranges.ts';
import type { KindRules, WriteContext } from '../api/resource-definition.ts';
import { arbitraryObject } from '../codecs/protobuf/arbitrary-object.test.ts';
import { createFeatureGates } from '../config/feature-gates.ts';
import { kindRules } from './index.ts';
import { validObjects } from './testing/valid-objects.ts';

const naming = createNaming('orch');
const gates = createFeatureGates(new Map());
const rules = rulesOf(defaultRelease);

function rulesOf(release: Release): ReadonlyMap<string, KindRules> {
  const ranges = new ServiceRanges({ clusterIpRanges: [], nodePortRange: [30000, 32767], reserveStatic: false });
  return kindRules({ ...servicesOf(ranges), release, eventTtlSeconds: 3600 });
}

/** A kind in one of its versions, with what its rules say about both. */
interface Version {
  readonly title: string;
  readonly message: MessageType;
  readonly stored: MessageType;
  readonly kind: KindRules;
  readonly version: VersionRules;
  readonly context: WriteContext;
}

function* versions(release = defaultRelease): Generator<Version> {
  const schema = loadSchema(naming, release);
  const gates = createFeatureGates(new Map(), release);
  const rules = rulesOf(release);
  for (const { resources } of schema.groupVersions) {
    for (const resource of resources) {
      const { storage } = resource;
      if (storage === undefined || !resource.served) continue;
      const kind = rules.get(storageId(storage.group, storage.plural));
      assert.ok(kind !== undefined, resource.message.name);
      const context = {
        naming,
        gates,
        release,
        user: { name: 'jane', uid: 'u1', groups: ['dev'], extra: {} },
        dryRun: false,
        now: '2020-01-01T00:00:00Z',
        group: resource.group,
        version: resource.version,
        warn: () => {},
      };
      yield {
        title: `${resource.message.name} of ${release.name}`,
        message: resource.message,
        stored: schema.message(`${storage.group === '' ? 'core' : storage.group}.${storage.version}.${resource.kind}`),
        kind,
        version: kind.versions?.[versionKey(resource, kind)] ?? {},
        context,
      };
    }
  }
}

const RUNS = { numRuns: 30 };

function defaulted({ message, version, context: { gates } }: Version, object: JsonObject): ApiObject {
  const copy = asObject(cloneJson(object));
  copy.metadata ??= {};
  fillDefaults(message, asJson(copy));
  version.defaults?.(copy, { naming, gates });
  return asObject(normalize(message, copy));
}

function stored({ stored: message, version }: Version, object: ApiObject): ApiObject {
  const copy = cloneJson(object);
  return asObject(normalize(message, version.toStorage?.(copy, { naming }) ?? copy));
}

function served({ message, version }: Version, object: ApiObject): ApiObject {
  const copy = cloneJson(object);
  return asObject(normalize(message, version.fromStorage?.(copy, { naming }) ?? copy));
}

function problems(version: Version, object: ApiObject, old?: ApiObject): string[] {
  const { kind, context } = version;
  const errors = old === undefined ? kind.validate?.(object, context) : kind.validateUpdate?.(object, old, context);
  return (errors ?? []).map(({ text }) => text);
}

/** A refusal is an answer too; whatever else is thrown is a bug. */
function answers(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
  }
}

for (const version of [...versions(), ...versions(latestRelease)]) {
  describe(version.title, () => {
    const { message, kind, context } = version;
    const objects = arbitraryObject(message).map((object) => defaulted(version, object));

    it('is defaulted once and for all', () => {
      fc.assert(
        fc.property(objects, (object) => {
          assert.deepEqual(defaulted(version, asJson(object)), object);
        }),
        RUNS,
      );
    });

    it('comes back from the stored version without loss', () => {
      fc.assert(
        fc.property(objects, (object) => {
          const there = stored(version, object);
          assert.deepEqual(stored(version, served(version, there)), there);
        }),
        RUNS,
      );
    });

    it('whatever it holds, is answered', () => {
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
          kind.cells?.(canonical, { naming, now: 0 });
          kind.rowConditions?.(canonical);
          for (const field of Object.values(kind.selectableFields ?? {})) field(canonical);
        }),
        RUNS,
      );
    });

    it('is valid as it should be, when it is new and when nothing changes', () => {
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

describe('versions of kinds', () => {
  it('are the same for the server as for conversions without one', () => {
    const served = [...rules].flatMap(([id, { versions }]) =>
      versions === undefined ? [] : [[id, versions] as const],
    );
    assert.deepEqual(new Map(served), kindVersions);
  });

  it('ask for gates that are off, of which conversions without a server know nothing', () => {
    const asked = new Set<string>();
    const noting = { enabled: (name: string) => !asked.add(name) };
    for (const { message, version } of versions()) {
      const sample = asJson({ metadata: { name: 'a' }, ...validObjects[message.name] });
      version.defaults?.(asObject(normalize(message, sample)), { naming, gates: noting });
    }
    assert.ok(asked.size > 0);
    for (const name of asked) assert.equal(gates.enabled(name), false, name);
  });
});
