import { serviceUnavailable } from '#base/errors/status-error.ts';
import { cloneJson } from '#base/json/clone-json.ts';
import type { Naming } from '#base/naming/naming.ts';
import type { CustomResourceDefinition, CustomResourceDefinitionStatus } from '#schema/generated/apiextensions.v1.ts';
import type { WriteCondition } from '../../api/write-condition.ts';
import type { Item } from '../../cache/item.ts';
import type { CustomResource } from '../../resources/custom-resource.ts';
import { customKind, selectableLabels } from '../kinds/custom-kind.ts';
import { CustomModel } from '../kinds/custom-model.ts';
import { documentedKind } from '../kinds/documented-kind.ts';
import type { ObjectForms } from '../kinds/object-errors.ts';
import type { SchemaCache } from '../kinds/schema-cache.ts';
import type { ReadMetadata } from '../schema/embedded-objects.ts';
import { definitionText, sameSpec } from './definition-text.ts';
import type { FreshSchemas } from './fresh-schemas.ts';

/** The size in bytes from which a definition is processed in steps. */
const LARGE = 64 * 1024;

/** The inputs for serving definitions. */
export interface LiveContext {
  readonly naming: Naming;
  readonly schemas: SchemaCache;
  readonly readMetadata: ReadMetadata;
  /** How objects are checked. */
  readonly forms: ObjectForms;
  /** Schemas for callers that change them. */
  readonly fresh: FreshSchemas;
  /** The object of a definition's item. It is shared. */
  readonly read: (item: Item) => CustomResourceDefinition;
  /** The absolute key of a definition. */
  readonly keyOf: (item: Item) => string;
  /** Resolves when the served resources are as new as the store was at the call. Rejects with a StatusError. */
  readonly catchUp: () => Promise<void>;
  /** Converts objects of a definition with a webhook from one version to another. */
  readonly converter: (live: LiveDefinition) => CustomResource['convert'];
}

/**
 * A definition, as this replica knows it. It changes over time. It keeps only the names, and reads the schemas when
 * they are needed.
 */
export class LiveDefinition {
  readonly uid: string;
  /** Its group never changes. */
  readonly group: string;
  readonly #context: LiveContext;
  readonly #models = new Map<string, CustomModel>();
  #item: Item;
  #outline: CustomResourceDefinition;
  #made:
    | { readonly item: Item; readonly status: CustomResourceDefinitionStatus; readonly resource: CustomResource }
    | undefined;

  /**
   * @param before the state of an earlier revision
   *
   * @throws Error if the item is malformed
   */
  constructor(item: Item, context: LiveContext, before?: LiveDefinition) {
    this.#item = item;
    const outline = before === undefined ? undefined : before.#laterOutline(item);
    this.#outline = outline ?? withoutSchemas(context.read(item));
    this.#context = context;
    this.uid = this.#outline.metadata.uid ?? '';
    this.group = this.#outline.spec.group;
  }

  /** Most changes of a definition do not change its spec, so the spec need not be read again. */
  #laterOutline(item: Item): CustomResourceDefinition | undefined {
    const text = definitionText(item.body);
    if (item.apiVersion !== this.#item.apiVersion || !sameSpec(text, definitionText(this.#item.body))) return undefined;
    const { managedFields: _, ...metadata } = text!.rest.metadata;
    return { ...this.#outline, ...text!.rest, metadata };
  }

  /** The revision that is served. */
  get item(): Item {
    return this.#item;
  }

  /** Takes the content of a later revision of the definition. */
  become({ item, outline }: LiveDefinition): void {
    this.#item = item;
    this.#outline = outline;
  }

  /** Everything except its schemas. */
  get outline(): CustomResourceDefinition {
    return this.#outline;
  }

  /** Whether a replica has written its status. */
  get isSettled(): boolean {
    return (this.outline.status?.conditions?.length ?? 0) > 0;
  }

  get definition(): CustomResourceDefinition {
    return this.#context.read(this.item);
  }

  /** The served resource, with the accepted names of the status. It is the same value until something changes. */
  resource(status: CustomResourceDefinitionStatus): CustomResource {
    if (this.#made?.item === this.item && this.#made.status === status) return this.#made.resource;
    const { naming, converter } = this.#context;
    const definition = { ...this.outline, status };
    const convert = definition.spec.conversion?.strategy === 'Webhook' ? converter(this) : undefined;
    const resource = customKind(
      definition,
      { naming, model: (version) => this.#model(version, status.acceptedNames.kind) },
      { condition: this.#condition(), ...(convert && { convert }) },
    );
    this.#made = { item: this.item, status, resource };
    return resource;
  }

  #model(version: string, kind: string): CustomModel {
    let model = this.#models.get(version);
    if (model === undefined) {
      const compiled = () => {
        const key = `${this.item.name} ${this.item.revision} ${version}`;
        return this.#context.schemas.get(key, () => this.#schemaOf(version));
      };
      const source = {
        kind,
        version,
        forms: this.#context.forms,
        schema: () => compiled().structural,
        applySchema: () => compiled().applySchema,
      };
      const named = { group: this.group, version, kind };
      const { fresh } = this.#context;
      const documented = documentedKind(named, this.#context.schemas.extensionPrefix, {
        hash: () => fresh.hash(this.item),
        read: () => fresh.take(this.item, version),
        selectableFields: () => this.#labelsOf(version),
        isLarge: () => this.item.body.length > LARGE,
      });
      this.#models.set(version, (model = new CustomModel(source, this.#context.readMetadata, documented)));
    }
    return model;
  }

  #labelsOf(version: string): readonly string[] {
    const { versions } = this.outline.spec;
    return selectableLabels(versions?.find(({ name }) => name === version));
  }

  #schemaOf(version: string) {
    return this.definition.spec.versions?.find(({ name }) => name === version)?.schema?.openAPIV3Schema;
  }

  /** An object is written only if the definition with which it was checked is still the newest one. */
  #condition(): WriteCondition {
    const { keyOf, catchUp } = this.#context;
    const { name, revision } = this.item;
    return {
      conditions: [{ key: keyOf(this.item), revision }],
      renew: catchUp,
      refusal: () => serviceUnavailable(`the definition ${name} keeps changing`),
    };
  }
}

/** The definition without its schemas. It is kept for each definition, and there may be many large ones. */
function withoutSchemas(definition: CustomResourceDefinition): CustomResourceDefinition {
  const { spec } = definition;
  const { managedFields: _, ...metadata } = definition.metadata;
  const versions = (spec.versions ?? []).map(({ schema: _schema, ...version }) => version);
  return cloneJson({ ...definition, metadata, spec: { ...spec, versions } });
}
