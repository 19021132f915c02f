import { type CelType, optionalOf } from '../cel-type.ts';
import { OptionalValue } from '../cel-value.ts';
import type { Expression, ExpressionCompiler } from '../expression.ts';
import { optionalItem } from '../libraries/optional-functions.ts';
import { noOverload } from '../libraries/standard-functions.ts';
import type { Scope } from '../scope.ts';
import { capped } from '../sizes.ts';
import type { Macro, MacroCall } from './macro.ts';

/** Estimated costs: a test with a value that is read and gets a name, and a value that becomes an optional again. */
const BOUND = 12;
const WRAPPED = 1;

function optionalMacro(name: string, isFlat: boolean): Macro {
  return {
    name,
    takes: 2,
    compile: (compiler, call, scope) => compileOptional(name, isFlat, compiler, call, scope),
  };
}

function compileOptional(
  name: string,
  isFlat: boolean,
  compiler: ExpressionCompiler,
  { node, of, args }: MacroCall,
  scope: Scope,
): Expression {
  const target = compiler.compile(of, scope);
  const item = optionalItem(target.type);
  if (item === undefined) throw compiler.noOverload(node, 'hasValue', [target], true);
  const [variable, made] = args as [MacroCall['node'], MacroCall['node']];
  if (variable.op !== 'id') {
    throw compiler.error(variable, `${name}() variable name must be a simple identifier`);
  }
  const body = compiler.compile(made, scope.with(variable.args as string, item, undefined));
  const type = isFlat ? flatType(body.type) : optionalOf(body.type);
  if (type === undefined) throw compiler.noOverload(node, '_?_:_', [target, body]);
  const slot = scope.depth;
  return {
    type,
    cost: capped(2 * target.cost + BOUND + (isFlat ? 0 : WRAPPED) + body.cost),
    run: (evaluation) => {
      evaluation.budget.charge(BOUND);
      const value = target.run(evaluation);
      if (!(value instanceof OptionalValue)) throw noOverload();
      if (value.value === undefined) return value;
      evaluation.locals[slot] = value.value;
      const answer = body.run(evaluation);
      return isFlat ? answer : OptionalValue.of(answer);
    },
  };
}

function flatType(type: CelType): CelType | undefined {
  return type.kind === 'optional' || type.kind === 'dyn' ? type : undefined;
}

/** Computes a value from an optional one. */
export const optionalMacros: readonly Macro[] = [optionalMacro('optMap', false), optionalMacro('optFlatMap', true)];
