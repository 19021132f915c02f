import { isObject, JsonNumber, type JsonValue } from '#base/json/json-value.ts';
import type { ApplyType, LeafType, ListApplyType, ObjectApplyType } from './apply-type.ts';
import { ListItemError, listElement } from './list-element.ts';
import { memberElement, type PathElement, pathText } from './path-element.ts';
import { isScalar } from './value.ts';

/**
 * The error about a value that does not fit its type: `.spec.ports: duplicate entries for key
 * [port=80,protocol="TCP"]`.
 */
export class TypedError extends Error {
  constructor(path: readonly PathElement[], problem: string) {
    super(path.length === 0 ? problem : `${pathText(path)}: ${problem}`);
  }
}

/**
 * Checks that the fields of a value can have separate owners: the items of sets and maps differ, and values have their
 * declared types. Undeclared members are problems in an applied configuration, but not in a stored object. Throws
 * {@link TypedError} for the first problem. With `toleratesRepeats`, items may be equal.
 *
 * @example validateTyped(applied, type, 'refused'); // throws for a member that the type does not declare
 */
export function validateTyped(
  value: JsonValue,
  type: ApplyType,
  undeclared: 'refused' | 'passed-over',
  toleratesRepeats = false,
): void {
  new Check(undeclared === 'refused', toleratesRepeats).value(value, type);
}

class Check {
  /** The path. An item is kept by its position, and its step is computed only when there is a problem. */
  readonly #path: (PathElement | number)[] = [];
  readonly #strict: boolean;

  readonly #toleratesRepeats: boolean;

  constructor(strict: boolean, toleratesRepeats: boolean) {
    this.#strict = strict;
    this.#toleratesRepeats = toleratesRepeats;
  }

  value(value: JsonValue, type: ApplyType): void {
    if (value === null) return;
    if (type.kind === 'leaf') this.#leaf(value, type);
    else if (type.kind === 'list') this.#list(value, type);
    else if (type.kind === 'object') this.#object(value, type);
  }

  #leaf(value: JsonValue, { accepts }: LeafType): void {
    const fits =
      accepts === 'anything' ||
      (accepts === 'scalar'
        ? isScalar(value)
        : accepts === 'number'
          ? typeof value === 'number' || value instanceof JsonNumber
          : typeof value === accepts);
    if (!fits) throw this.#problem(`expected ${accepts}, got ${kindOf(value)}`);
  }

  #list(value: JsonValue, type: ListApplyType): void {
    if (!Array.isArray(value)) throw this.#problem(`expected list, got ${kindOf(value)}`);
    if (type.relation === 'atomic') {
      for (let i = 0; i < value.length; i++) this.#below(i, value[i]!, type.item);
      return;
    }
    const seen = new Set<PathElement>();
    for (let i = 0; i < value.length; i++) {
      const element = this.#stepTo(type, value[i]!, i);
      if (seen.has(element) && !this.#toleratesRepeats)
        throw this.#problem(`duplicate entries for key ${pathText([element])}`);
      seen.add(element);
      this.#below(element, value[i]!, type.item);
    }
  }

  #object(value: JsonValue, type: ObjectApplyType): void {
    if (!isObject(value)) throw this.#problem(`expected map, got ${kindOf(value)}`);
    for (const name of Object.keys(value)) {
      const memberType = type.fields.get(name) ?? type.others;
      if (memberType !== undefined) this.#below(memberElement(name), value[name]!, memberType);
      else if (this.#strict)
        throw new TypedError([...this.#steps(), memberElement(name)], 'field not declared in schema');
    }
  }

  #below(element: PathElement | number, value: JsonValue, type: ApplyType): void {
    this.#path.push(element);
    this.value(value, type);
    this.#path.pop();
  }

  #stepTo(type: ListApplyType, item: JsonValue, index: number): PathElement {
    try {
      return listElement(type, item);
    } catch (error) {
      if (error instanceof ListItemError) throw this.#problem(`element ${index}: ${error.message}`);
      throw error;
    }
  }

  #problem(text: string): TypedError {
    return new TypedError(this.#steps(), text);
  }

  #steps(): PathElement[] {
    return this.#path.map((step) => (typeof step === 'number' ? `i:${step}` : step));
  }
}

function kindOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'list';
  if (isObject(value)) return 'map';
  return typeof value === 'string' || typeof value === 'boolean' ? typeof value : 'number';
}
