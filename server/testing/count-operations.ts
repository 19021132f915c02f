/** Methods of arrays that examine items until they find one. */
const SEARCHES = ['includes', 'indexOf'] as const;

/** Methods of arrays that call a function for each item. */
const CALLERS = ['find', 'findIndex', 'findLast', 'some', 'every', 'filter', 'map', 'flatMap', 'forEach'] as const;

/** Methods of arrays that return a list. */
const MAKERS = ['concat', 'slice', 'flatMap', 'filter', 'map', 'fill', 'toReversed', 'toSorted', 'flat'] as const;

// biome-ignore lint/suspicious/noExplicitAny: methods of any kind are replaced
type Method = (...given: any[]) => any;

/**
 * Counts the operations of synchronous work: items of lists that methods read or copy, names of objects that are listed
 * or copied, and characters of JSON. A time would depend on the machine, and this number does not. It shows how the
 * work grows, and not how long it takes.
 */
export function countOperations(work: () => void): number {
  let count = 0;
  const undo: (() => void)[] = [];
  const replace = (holder: object, name: string | symbol, make: (real: Method) => Method): void => {
    const table = holder as Record<string | symbol, Method>;
    const real = table[name]!;
    undo.push(() => Object.defineProperty(holder, name, { value: real, writable: true, configurable: true }));
    Object.defineProperty(holder, name, { value: make(real), writable: true, configurable: true });
  };
  for (const name of SEARCHES)
    replace(Array.prototype, name, (real) => {
      return function (this: unknown[], ...given) {
        const at = placeOf(this, given[0]);
        count += at < 0 ? this.length : at + 1;
        return Reflect.apply(real, this, given);
      };
    });
  for (const name of CALLERS)
    replace(Array.prototype, name, (real) => {
      return function (this: unknown[], call: Method, self?: unknown) {
        return Reflect.apply(real, this, [
          function (this: unknown, ...given: unknown[]) {
            count++;
            return Reflect.apply(call, this, given);
          },
          self,
        ]);
      };
    });
  for (const name of MAKERS)
    replace(Array.prototype, name, (real) => {
      return function (this: unknown[], ...given) {
        const made = Reflect.apply(real, this, given) as unknown[];
        count += made.length;
        return made;
      };
    });
  for (const name of ['keys', 'values', 'entries'])
    replace(Object, name, (real) => (object: object) => {
      const made = real(object) as unknown[];
      count += made.length;
      return made;
    });
  const { keys } = Object;
  replace(Object, 'assign', (real) => (...given: object[]) => {
    for (const one of given.slice(1)) keys(one ?? {});
    return real(...given);
  });
  replace(JSON, 'stringify', (real) => (...given: unknown[]) => {
    const text = real(...given) as string | undefined;
    count += text?.length ?? 0;
    return text;
  });
  try {
    work();
  } finally {
    for (const one of undo.reverse()) one();
  }
  return count;
}

/** The position of the first equal item. */
function placeOf(list: readonly unknown[], wanted: unknown): number {
  for (let i = 0; i < list.length; i++) if (list[i] === wanted) return i;
  return -1;
}
