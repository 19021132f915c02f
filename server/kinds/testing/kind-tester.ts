import assert from 'node:assert/strict';
import { type FieldError, inOrder, inWordsOf } from '#base/errors/field-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type { JsonObject } from '#base/json/json-value.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { defaultRelease, type Release } from '#base/release/release.ts';
import { versionKey } from '#schema/conversion/version-rules.ts';
import { loadSchema } from '#schema/descriptors/load.ts';
import type { MessageType, Schema } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import { decodeObject } from '#schema/objects/decode.ts';
import { fillDefaults } from '#schema/objects/fill-defaults.ts';
import { normalize } from '#schema/objects/normalize.ts';
import type { KindRules, WriteContext } from '../../api/resource-definition.ts';
import { createFeatureGates } from '../../config/feature-gates.ts';

const naming = createNaming('orch');
const schemas = new Map<Release, Schema>();

function schemaOf(release: Release): Schema {
  let schema = schemas.get(release);
  if (schema === undefined) schemas.set(release, (schema = loadSchema(naming, release)));
  return schema;
}

/** Errors as lines: the path and the message. */
export type Lines = string[];

function lines(errors: readonly FieldError[] | undefined, { release }: WriteContext): Lines {
  return inOrder(inWordsOf(errors ?? [], release), release).map(({ text }) => text);
}

/** Passes objects of one kind through defaults, conversion, preparation and validation, without a server. */
export class KindTester<T extends ApiObject> {
  readonly naming = naming;
  readonly context: WriteContext;
  readonly #rules: KindRules<T>;
  readonly #message: MessageType;
  readonly #stored: MessageType;
  readonly #versionKey: string;

  /** `served` is the package of the version of the objects, such as `core.v1`. */
  constructor(
    rules: KindRules<T>,
    served: string,
    kind: string,
    gates: Record<string, boolean> = {},
    release = defaultRelease,
  ) {
    const schema = schemaOf(release);
    this.#rules = rules;
    this.#message = schema.message(`${served}.${kind}`);
    const { resource } = this.#message;
    const { group, version } = resource!.storage!;
    this.#stored = schema.message(`${group === '' ? 'core' : group}.${version}.${kind}`);
    this.#versionKey = versionKey(resource!, rules);
    this.context = {
      naming,
      gates: createFeatureGates(new Map(Object.entries(gates)), release),
      release,
      user: { name: 'jane', uid: 'u1', groups: ['dev'], extra: {} },
      dryRun: false,
      now: '2020-01-01T00:00:00Z',
      group: resource!.group,
      version: resource!.version,
      warn: () => {},
    };
  }

  /** The object after defaults and conversion. Setting the defaults again must change nothing. */
  sent(body: object): T {
    const object = asObject(
      decodeObject(this.#message, {
        metadata: { name: 'x' },
        ...body,
      } as JsonObject),
    );
    const { defaults, toStorage } = this.#rules.versions?.[this.#versionKey] ?? {};
    const fill = () => {
      fillDefaults(this.#message, asJson(object));
      defaults?.(object, this.context);
    };
    fill();
    const once = cloneJson(object);
    fill();
    assert.deepEqual(object, once, 'defaulting is idempotent');
    return normalize(this.#stored, toStorage?.(object, this.context) ?? object) as unknown as T;
  }

  /** The stored form of a new object. */
  created(body: object): T {
    const object = this.sent(body);
    if (this.#message.resource?.namespaced === true) object.metadata.namespace ??= 'n';
    this.#rules.prepareForCreate?.(object, this.context);
    return object;
  }

  /** Errors of a new object. */
  errors(body: object): Lines {
    return lines(this.#rules.validate?.(this.created(body), this.context), this.context);
  }

  /** Warnings about a new object. */
  warnings(body: object): string[] {
    return this.#rules.warnings?.(this.created(body), undefined, this.context) ?? [];
  }

  /** Errors of a change, made through a view of the object or through the object itself. */
  updateErrors(from: object, to: object, view = ''): Lines {
    const old = this.created(from);
    const object = this.sent(to);
    const rules = view === '' ? this.#rules : this.#rules.subresources?.[view];
    const placed = this.#message.resource?.namespaced === true ? { namespace: 'n' } : {};
    for (const one of [old, object]) Object.assign(one.metadata, { resourceVersion: '1', ...placed });
    rules?.prepareForUpdate?.(object, old, this.context);
    return lines(rules?.validateUpdate?.(object, old, this.context), this.context);
  }

  /** The row of a table. Times count from the epoch. */
  cells(body: object) {
    return this.#rules.cells?.(this.created(body), {
      naming,
      release: this.context.release,
      now: Date.parse('2020-01-01T00:00:00Z'),
    });
  }
}
