import { own } from '#base/collections/own-properties.ts';
import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { setKey } from '#base/json/set-key.ts';
import type { ApiObject } from '#schema/objects/api-object.ts';
import { asJson } from '#schema/objects/as-json.ts';
import { type LabelSelector, labelSelectorText } from '#schema/validation/label-selector.ts';
import type { ScalePaths } from '../api/scale-paths.ts';
import type { ServedResource } from '../api/served-resource.ts';

const BUILT_IN: ScalePaths = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };

/** The names in a simple path. */
function namesOf(path: string): string[] {
  return path.split('.').slice(1);
}

function valueAt(object: ApiObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = asJson(object);
  for (const name of namesOf(path)) value = value !== undefined && isObject(value) ? own(value, name) : undefined;
  return value;
}

/** The paths of the values that the scale of a resource shows. */
export class ScalePlace {
  /** The names in the path of the wanted number of replicas. */
  readonly replicas: readonly string[];
  readonly #paths: ScalePaths;
  readonly #selectsBySpec: boolean;

  constructor({ scale }: ServedResource) {
    this.#paths = scale ?? BUILT_IN;
    this.#selectsBySpec = scale === undefined;
    this.replicas = namesOf(this.#paths.specReplicasPath);
  }

  /** The path of the wanted number: `.spec.replicas`. */
  get path(): string {
    return this.#paths.specReplicasPath;
  }

  /** The wanted number; undefined if the object does not contain it. */
  wanted(object: ApiObject): number | undefined {
    return numberOf(valueAt(object, this.#paths.specReplicasPath));
  }

  /** The existing number of replicas. */
  there(object: ApiObject): number {
    return numberOf(valueAt(object, this.#paths.statusReplicasPath)) ?? 0;
  }

  /** The selector of the counted pods, as a text. */
  selector(object: ApiObject): string {
    if (this.#selectsBySpec) return selectorText(valueAt(object, '.spec.selector'));
    const { labelSelectorPath } = this.#paths;
    const text = labelSelectorPath === undefined ? undefined : valueAt(object, labelSelectorPath);
    return typeof text === 'string' ? text : '';
  }

  /** Sets the wanted number, and creates missing objects on the path. */
  want(object: ApiObject, replicas: number): void {
    let parent = asJson(object);
    for (const name of this.replicas.slice(0, -1)) {
      const there = own(parent, name);
      const child: JsonObject = there !== undefined && isObject(there) ? { ...there } : {};
      setKey(parent, name, child);
      parent = child;
    }
    setKey(parent, this.replicas.at(-1)!, replicas);
  }
}

function numberOf(value: JsonValue | undefined): number | undefined {
  return value === undefined || value === null ? undefined : Number(value);
}

/** The text of a selector. Replication controllers have a plain map, and all others a label selector. */
function selectorText(selector: JsonValue | undefined): string {
  if (selector === undefined || !isObject(selector)) return '';
  const plain = !('matchLabels' in selector) && !('matchExpressions' in selector);
  return labelSelectorText(plain ? { matchLabels: selector as Record<string, string> } : (selector as LabelSelector));
}
