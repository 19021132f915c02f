import type { Node } from './expression.ts';

/** Blanks, comments and closing brackets that may be between an operand and its operator. */
const BETWEEN = /(?:\s|\/\/[^\n]*|\))*/y;

/** The first character after a position that is none of these. */
function after(rule: string, end: number): number {
  BETWEEN.lastIndex = end;
  BETWEEN.exec(rule);
  return BETWEEN.lastIndex;
}

function endOf(node: Node): number {
  return (node as unknown as { readonly end: number }).end;
}

/**
 * The position of an error of a node that clients see. It is the operator, the dot of a selection, or the bracket of a
 * call or an index. For other nodes it is their start.
 */
export function positionOf(rule: string, node: Node): number {
  switch (node.op) {
    case 'value':
    case 'id':
    case 'list':
    case 'map':
    case '!_':
    case '-_':
      return node.pos;
    case 'call': {
      const bracket = rule.indexOf('(', node.pos);
      return bracket < 0 ? node.pos : bracket;
    }
    case 'rcall': {
      const [, of] = node.args as unknown as [string, Node];
      const bracket = rule.indexOf('(', after(rule, endOf(of)));
      return bracket < 0 ? node.pos : bracket;
    }
    default:
      return after(rule, endOf((node.args as unknown as [Node])[0]));
  }
}
