import { itemType } from '../cel-function.ts';
import { listOf } from '../cel-type.ts';
import { CelList, type CelValue } from '../cel-value.ts';
import type { Node } from '../expression.ts';
import { isOrdered, sortCosts, sortedBy } from '../libraries/later-list-functions.ts';
import { noOverload } from '../libraries/standard-functions.ts';
import { capped, estimatedSize, partOf } from '../sizes.ts';
import type { Macro } from './macro.ts';

/** The estimate counts a name for the list, a list of keys, and the computation of each key. */
const BOUND = 23;
const STEP = 12;

/** Sorts a list by a key that an expression computes for each item. */
export const sortBy: Macro = {
  name: 'sortBy',
  takes: 2,
  compile(compiler, { node, of, args }, scope) {
    const list = compiler.compile(of, scope);
    const item = itemType(list.type);
    const [variable, made] = args as [Node, Node];
    if (variable.op !== 'id') throw compiler.error(variable, 'argument must be a simple name');
    if (item === undefined) throw compiler.noOverload(node, '@sortByAssociatedKeys', [list], true);
    const place = list.type.kind === 'dyn' ? undefined : partOf(list.place, 'element', compiler.root);
    const key = compiler.compile(made, scope.with(variable.args as string, item, place));
    if (!isOrdered(key.type)) throw compiler.noOverload(node, '@sortByAssociatedKeys', [list, key], true);
    const size = estimatedSize(list);
    const keys = { type: listOf(key.type), known: size };
    const slot = scope.depth;
    return {
      type: listOf(item),
      known: sortCosts.size(keys),
      cost: capped(list.cost + BOUND + size.most * (STEP + key.cost) + sortCosts.estimate(keys, key.type)),
      run: (evaluation) => {
        const value = list.run(evaluation);
        if (!(value instanceof CelList)) throw noOverload();
        const made: CelValue[] = [];
        for (const each of value) {
          evaluation.budget.charge(STEP);
          evaluation.locals[slot] = each;
          made.push(key.run(evaluation));
        }
        const all = new CelList(made);
        sortCosts.charge(evaluation.budget, all);
        return sortedBy(value, all);
      },
    };
  },
};
