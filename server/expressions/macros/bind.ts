import { capped } from '../sizes.ts';
import type { Macro, MacroCall } from './macro.ts';

/** The estimated cost of a value that gets a name. */
const BOUND = 11;

/** `cel.bind(name, value, expression)`: gives a value a name inside one expression. */
export const bind: Macro = {
  name: 'bind',
  takes: 3,
  compile(compiler, { node, of, args }, scope) {
    const [variable, value, body] = args as [MacroCall['node'], MacroCall['node'], MacroCall['node']];
    if (of.op !== 'id' || of.args !== 'cel')
      throw compiler.noOverload(
        node,
        'bind',
        args.map((argument) => compiler.compile(argument, scope)),
        true,
      );
    if (variable.op !== 'id') throw compiler.error(variable, 'cel.bind() variable names must be simple identifiers');
    const bound = compiler.compile(value, scope);
    const made = compiler.compile(body, scope.with(variable.args as string, bound.type, bound.place));
    const slot = scope.depth;
    return {
      ...made,
      cost: capped(BOUND + bound.cost + made.cost),
      run(evaluation) {
        evaluation.budget.charge(BOUND);
        evaluation.locals[slot] = bound.run(evaluation);
        return made.run(evaluation);
      },
    };
  },
};
