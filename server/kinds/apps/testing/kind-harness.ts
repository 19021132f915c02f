import { type FieldError, inWordsOf } from '#base/errors/field-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import { createNaming } from '#base/naming/create-naming.ts';
import { defaultRelease } from '#base/release/release.ts';
import { sharedMessage } from '#schema/descriptors/load.ts';
import type { MessageType } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson, asObject } from '#schema/objects/as-json.ts';
import { decodeObject } from '#schema/objects/decode.ts';
import { fillDefaults } from '#schema/objects/fill-defaults.ts';
import { normalize } from '#schema/objects/normalize.ts';
import type { KindRules, WriteContext } from '../../../api/resource-definition.ts';
import { createFeatureGates } from '../../../config/feature-gates.ts';

/** The object after a write; errors as `field: message`. */
export interface Outcome {
  readonly object: ApiObject;
  readonly errors: string[];
  readonly warnings: string[];
}

/** Applies the rules of one kind in the stages of a write, like the registry, without a server. */
export class KindHarness {
  readonly rules: KindRules;
  readonly message: MessageType;
  readonly context: WriteContext;

  /** `message` names the stored message: `apps.v1.Deployment`. `gates` are the gates that are on. */
  constructor(rules: KindRules, message: string, gates: readonly string[] = []) {
    this.rules = rules;
    this.message = sharedMessage(message);
    this.context = {
      naming: createNaming('orch'),
      gates: createFeatureGates(new Map(gates.map((gate) => [gate, true]))),
      release: defaultRelease,
      user: undefined,
      dryRun: false,
      now: '2026-01-01T00:00:00Z',
      group: this.rules.group,
      version: message.split('.').at(-2)!,
      warn: () => undefined,
    };
  }

  /** An object in the storage version, after decoding, defaults and conversion. */
  read(body: object, version: string = this.context.version): ApiObject {
    const type = sharedMessage(this.message.name.replace(this.context.version, version));
    const object = asObject(decodeObject(type, body as JsonValue));
    const rules = this.rules.versions?.[version];
    fillDefaults(type, asJson(object));
    rules?.defaults?.(object, this.context);
    return rules?.toStorage?.(object, this.context) ?? object;
  }

  create(body: object, version?: string): Outcome {
    const object = this.read(body, version);
    object.metadata.uid = 'u1';
    object.metadata.generation = 1;
    delete object['status'];
    this.rules.prepareForCreate?.(object, this.context);
    const errors = this.rules.validate?.(object, this.context) ?? [];
    return this.#finish(object, undefined, errors);
  }

  /** The update that replaces top-level fields of the spec and the metadata of `old`. */
  update(old: ApiObject, spec: object, metadata: object = {}): Outcome {
    const merged = {
      ...old,
      metadata: { ...old.metadata, ...metadata },
      spec: { ...(old['spec'] as object), ...spec },
    };
    const object = this.read(merged);
    this.rules.prepareForUpdate?.(object, old, this.context);
    const asSent = { ...object, metadata: { ...object.metadata, resourceVersion: '1' } };
    const errors = this.rules.validateUpdate?.(asSent, old, this.context) ?? [];
    return this.#finish(object, old, errors);
  }

  updateStatus(old: ApiObject, status: object): Outcome {
    const object = this.read({ ...old, status });
    const rules = this.rules.subresources?.['status'];
    rules?.prepareForUpdate?.(object, old, this.context);
    return this.#finish(object, old, rules?.validateUpdate?.(object, old, this.context) ?? []);
  }

  /** The object in the form of a version for clients. */
  show(object: ApiObject, version: string): JsonObject {
    const shown = this.rules.versions?.[version]?.fromStorage?.(cloneJson(object), this.context) ?? object;
    return normalize(sharedMessage(this.message.name.replace(this.context.version, version)), shown);
  }

  cells(object: ApiObject, now = 0): unknown[] {
    return this.rules.cells?.(object, { ...this.context, now }) ?? [];
  }

  #finish(object: ApiObject, old: ApiObject | undefined, found: readonly FieldError[]): Outcome {
    const errors = inWordsOf(found, this.context.release);
    const warnings = this.rules.warnings?.(object, old, this.context) ?? [];
    if (errors.length === 0) this.rules.canonicalize?.(object, this.context);
    const stored = asObject(normalize(this.message, object));
    return { object: stored, errors: errors.map(({ text }) => text), warnings };
  }
}
