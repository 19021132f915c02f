import { badRequest } from '#base/errors/status-error.ts';
import type { JsonObject, JsonValue } from '#base/json/json-value.ts';
import type { ColumnType } from '#schema/descriptors/types.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { age } from '#schema/validation/human-duration.ts';
import type { Cell, TableContext, TableForm } from '../../api/resource-definition.ts';
import type { ServedResource } from '../../api/served-resource.ts';
import type { Registry } from '../../resources/registry.ts';
import { partialMetadata } from '../partial-metadata.ts';

/** The object part of a row. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/**
 * Reads `includeObject`.
 *
 * @throws StatusError (400) for another value
 */
export function includeObject(query: URLSearchParams): IncludeObject {
  const text = query.get('includeObject') ?? '';
  if (text === '') return 'Metadata';
  if (text === 'None' || text === 'Metadata' || text === 'Object') return text;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(text)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

const DEFAULT_COLUMNS: readonly ColumnType[] = [
  { name: 'Name', type: 'string', format: 'name', priority: 0, description: 'The name of the object.' },
  { name: 'Created At', type: 'date', format: '', priority: 0, description: 'When the object was created.' },
];

function columnsOf(served: ServedResource | undefined): readonly ColumnType[] {
  const columns = served?.type.columns ?? [];
  return columns.length === 0 ? DEFAULT_COLUMNS : columns;
}

export function columnDefinitions(columns: readonly ColumnType[]): JsonObject[] {
  return columns.map(({ name, type, format, priority, description = '' }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
}

const ZERO_TIME = '0001-01-01T00:00:00Z';

/** Cells only by the names of the columns. They are for kinds that show only a name and an age. */
function plainCells(columns: readonly ColumnType[], object: ApiObject, now: number): Cell[] {
  const { name, creationTimestamp } = object.metadata;
  return columns.map((column) => {
    if (column.name === 'Name') return name ?? '';
    if (column.name === 'Created At') return creationTimestamp ?? ZERO_TIME;
    return column.name === 'Age' ? age(creationTimestamp, now) : '';
  });
}

/** Makes rows of one kind of table. */
export class TableRows {
  readonly columns: readonly ColumnType[];
  readonly #served: ServedResource | undefined;
  readonly #include: IncludeObject;
  readonly #metaVersion: string;
  readonly #context: TableContext;
  readonly #form: TableForm | undefined;

  constructor(
    served: ServedResource | undefined,
    include: IncludeObject,
    metaVersion: string,
    { naming, schema }: Pick<Registry, 'naming' | 'schema'>,
    form?: TableForm,
  ) {
    this.#form = form ?? served?.table;
    this.columns = this.#form?.columns ?? columnsOf(served);
    this.#served = served;
    this.#include = include;
    this.#metaVersion = metaVersion;
    this.#context = { naming, release: schema.release, now: Date.now() };
  }

  /**
   * A row of an object. `stored` is the object in the storage version, and `shown` is the object in the version of the
   * request.
   */
  row(stored: ApiObject, shown: () => JsonObject): JsonObject {
    return { ...this.shown(stored), object: this.#object(stored, shown) };
  }

  /** A row without its object part. */
  shown(stored: ApiObject): JsonObject {
    const rules = this.#served?.stored?.rules;
    const cells = this.#form?.cells(stored, this.#context.now) ?? rules?.cells?.(stored, this.#context);
    const shown = this.#served?.type.cells;
    const conditions = rules?.rowConditions?.(stored);
    return {
      cells: (shown !== undefined && cells !== undefined
        ? shown.map((place) => cells[place])
        : (cells ?? plainCells(this.columns, stored, this.#context.now))) as JsonValue[],
      ...(conditions === undefined ? {} : { conditions }),
    };
  }

  #object(stored: ApiObject, shown: () => JsonObject): JsonValue {
    if (this.#include === 'None') return null;
    return this.#include === 'Object' ? shown() : partialMetadata(this.#metaVersion, this.#served, stored);
  }
}
