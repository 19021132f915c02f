import { tooLarge } from '#base/errors/status-error.ts';
import { jsonEqual, sameSpelling } from '#base/json/json-equal.ts';
import { isObject, JsonNumber, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import { setKey } from '#base/json/set-key.ts';
import { member } from './members.ts';
import { cannotApply, FailedTest, MAX_DEPTH, malformed, typeName } from './patch-errors.ts';

/** The largest number of operations in one patch. The server refuses more with 413. */
export const MAX_OPERATIONS = 10_000;
/**
 * The largest size of JSON text, in bytes, that the `copy` operations of one patch may add. It is the size of a request
 * body.
 */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;
/**
 * The size that a list or map counts in addition to its text, because its creation costs more than a copy of its text.
 */
const CONTAINER_BYTES = 32;
/** The largest number of items that may move in lists while the operations of one patch add and remove other items. */
const MAX_MOVED_ITEMS = 50_000_000;

const OPERATION_MEMBERS = new Set(['op', 'path', 'from', 'value']);

/** One operation. Its members have the right type, but may be missing. */
interface Operation {
  readonly op: string | undefined;
  readonly path: string | undefined;
  readonly from: string | undefined;
  /** The value. A missing value means null. */
  readonly value: JsonValue;
}

/**
 * Applies a JSON patch (RFC 6902) to an object. Neither argument is changed. It is lenient in cases on which clients
 * rely. `replace` creates a missing member. `copy` of a missing member gives null. A missing `value` is null. An index
 * may be negative (counted from the end) and have leading zeros. The text before the first slash of a path is ignored.
 * A patch can test the whole object and replace it. A replacement that is neither an object nor a list is ignored. In a
 * test, numbers are equal if they have the same spelling.
 *
 * @throws StatusError: 400 if the document is not a list of operations, 413 if it has more than {@link MAX_OPERATIONS},
 * 422 with empty details if an operation cannot be carried out
 *
 * @example applyJsonPatch({ a: 1, b: 2 }, [{ op: 'remove', path: '/a' }]) // => { b: 2 }
 */
export function applyJsonPatch(live: JsonObject, patch: JsonValue): JsonObject {
  const operations = decode(patch);
  if (operations.length > MAX_OPERATIONS) {
    throw tooLarge(
      `Request entity too large: The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`,
    );
  }
  const document = new PatchedDocument(live);
  for (const operation of operations) document.run(operation);
  if (Array.isArray(document.root)) throw cannotApply('the object was replaced by a list');
  return document.root;
}

/** Members of operations without a meaning, in the words of field validation. */
export function unknownOperationMembers(patch: JsonValue): string[] {
  if (!Array.isArray(patch)) return [];
  return patch.flatMap((operation, i) =>
    isObject(operation)
      ? Object.keys(operation)
          .filter((name) => !OPERATION_MEMBERS.has(name))
          .map((name) => `json patch unknown field "[${i}].${name}"`)
      : [],
  );
}

function decode(patch: JsonValue): Operation[] {
  if (patch === null) return [];
  if (!Array.isArray(patch)) {
    throw malformed(`json: cannot unmarshal ${typeName(patch)} into Go value of type []handlers.jsonPatchOp`);
  }
  return patch.map(decodeOperation);
}

function decodeOperation(operation: JsonValue): Operation {
  if (operation === null) return { op: undefined, path: undefined, from: undefined, value: null };
  if (!isObject(operation)) {
    throw malformed(`json: cannot unmarshal ${typeName(operation)} into Go value of type handlers.jsonPatchOp`);
  }
  return {
    op: textMember(operation, 'op'),
    path: textMember(operation, 'path'),
    from: textMember(operation, 'from'),
    value: member(operation, 'value') ?? null,
  };
}

function textMember(operation: JsonObject, name: string): string | undefined {
  const value = member(operation, name) ?? null;
  if (value === null) return undefined;
  if (typeof value !== 'string') {
    throw malformed(
      `json: cannot unmarshal ${typeName(value)} into Go struct field jsonPatchOp.${name} of type string`,
    );
  }
  return value;
}

type Container = JsonObject | JsonValue[];

/**
 * The object that the patch changes. A container is copied before its first change, so that the live object does not
 * change.
 */
class PatchedDocument {
  root: Container;
  readonly #own = new WeakSet<Container>();
  #copied = 0;
  #moved = 0;

  constructor(live: JsonObject) {
    this.root = { ...live };
    this.#own.add(this.root);
  }

  run(operation: Operation): void {
    switch (operation.op) {
      case 'add':
        this.#add(operation.path, operation.value);
        break;
      case 'remove':
        this.#remove(operation.path);
        break;
      case 'replace':
        this.#replace(operation.path, operation.value);
        break;
      case 'move':
        this.#move(operation.from, operation.path);
        break;
      case 'copy':
        this.#copy(operation.from, operation.path);
        break;
      case 'test':
        this.#test(operation.path, operation.value);
        break;
      default:
        throw cannotApply(`Unexpected kind: ${operation.op ?? 'unknown'}`);
    }
  }

  #add(path: string | undefined, value: JsonValue): void {
    const [parent, key] = this.#parent(path, 'add');
    if (!Array.isArray(parent)) {
      setKey(parent, key, value);
    } else if (key === '-') {
      parent.push(value);
    } else {
      this.#splice(parent, position(key, parent.length + 1), 0, value);
    }
  }

  /** @param shown the path in messages about a missing value; by default the whole path */
  #remove(path: string | undefined, operation = 'remove', shown?: string): void {
    const [parent, key] = this.#parent(path, operation);
    if (Array.isArray(parent)) {
      this.#splice(parent, position(key, parent.length), 1);
    } else {
      if (!Object.hasOwn(parent, key)) {
        throw cannotApply(
          `error in ${operation} for path: '${shown ?? path}': Unable to remove nonexistent key: ${key}: missing value`,
        );
      }
      delete parent[key];
    }
  }

  #replace(path: string | undefined, value: JsonValue): void {
    if (path === '') {
      if (isObject(value) || Array.isArray(value)) this.root = value;
      return;
    }
    const [parent, key] = this.#parent(path, 'replace');
    if (Array.isArray(parent)) {
      parent[position(key, parent.length)] = value;
    } else {
      setKey(parent, key, value);
    }
  }

  #move(from: string | undefined, path: string | undefined): void {
    const value = this.#read(from);
    this.#remove(from, 'move', from?.slice(from.lastIndexOf('/') + 1));
    this.#add(path, value);
  }

  #copy(from: string | undefined, path: string | undefined): void {
    this.#add(path, this.#duplicate(this.#read(from), 1));
  }

  #test(path: string | undefined, value: JsonValue): void {
    const found = path === '' ? this.root : this.#read(path);
    if (!jsonEqual(found, value, sameSpelling)) throw new FailedTest(`testing value ${path ?? ''} failed: test failed`);
  }

  /** The value at a path; null for a missing member of an object. */
  #read(path: string | undefined): JsonValue {
    const [parent, key] = this.#parent(path, 'read');
    const value = Array.isArray(parent) ? parent[position(key, parent.length)] : member(parent, key);
    return value ?? null;
  }

  /** The container that holds the last step of a path, ready for changes, and this step. */
  #parent(path: string | undefined, operation: string): [Container, string] {
    const steps = (path ?? '').split('/').map(unescapeStep);
    const key = steps.pop();
    const missing = () =>
      cannotApply(
        `${operation} operation does not apply: doc is missing path: ${JSON.stringify(path ?? '')}: missing value`,
      );
    if (key === undefined || steps.length === 0) throw missing();
    let container = this.#ownRoot();
    for (const step of steps.slice(1)) container = this.#enter(container, step, missing);
    return [container, key];
  }

  /** If the patch itself brought the root, the root is also copied before it is changed. */
  #ownRoot(): Container {
    if (!this.#own.has(this.root)) {
      this.root = Array.isArray(this.root) ? [...this.root] : { ...this.root };
      this.#own.add(this.root);
    }
    return this.root;
  }

  #enter(container: Container, step: string, missing: () => Error): Container {
    const list = Array.isArray(container);
    const key = list ? position(step, container.length) : step;
    const child = list ? container[key as number] : member(container, step);
    if (!Array.isArray(child) && !isObject(child)) throw missing();
    if (this.#own.has(child)) return child;
    const copy: Container = Array.isArray(child) ? [...child] : { ...child };
    this.#own.add(copy);
    if (list) {
      container[key as number] = copy;
    } else {
      setKey(container, step, copy);
    }
    return copy;
  }

  /** Adds or removes an item. Counts the items after it, because they move. */
  #splice(list: JsonValue[], at: number, removed: number, ...added: JsonValue[]): void {
    this.#moved += list.length - at;
    if (this.#moved > MAX_MOVED_ITEMS) throw cannotApply();
    list.splice(at, removed, ...added);
  }

  /** A copy that shares no container with the original. It counts towards the limit. */
  #duplicate(value: JsonValue, depth: number): JsonValue {
    if (depth > MAX_DEPTH) throw cannotApply();
    if (Array.isArray(value)) {
      this.#count(CONTAINER_BYTES);
      return value.map((item) => this.#duplicate(item, depth + 1));
    }
    if (isObject(value)) {
      this.#count(CONTAINER_BYTES);
      const object: JsonObject = {};
      for (const [name, child] of Object.entries(value)) {
        this.#count(name.length + 4);
        setKey(object, name, this.#duplicate(child, depth + 1));
      }
      return object;
    }
    this.#count(typeof value === 'string' ? value.length + 2 : value instanceof JsonNumber ? value.text.length : 4);
    return value;
  }

  #count(bytes: number): void {
    this.#copied += bytes;
    if (this.#copied > MAX_COPIED_BYTES) throw cannotApply();
  }
}

function unescapeStep(step: string): string {
  return step.replace(/~[01]/g, (code) => (code === '~1' ? '/' : '~'));
}

/**
 * The position that an index names in a list of `length` items. Throws 422 if it is not a number or is outside of the
 * list.
 */
function position(index: string, length: number): number {
  if (!/^[+-]?[0-9]+$/.test(index)) throw cannotApply();
  const number = Number(index);
  const place = number < 0 ? number + length : number;
  if (place < 0 || place >= length) throw cannotApply();
  return place;
}
