import type { DiscoveredType } from '#client/discovery/discovered.ts';
import { isNamed } from '../../connection/find-type.ts';
import { inGroup } from '../../connection/in-group.ts';
import type { Session } from '../../connection/session.ts';
import { CommandError } from '../../framework/errors.ts';
import { type Node, PathSyntaxError, parseTemplate, type Step } from '../../output/jsonpath/parse.ts';
import { unknownType } from '../../resources/selection.ts';

/** The type to explain, and the path to one of its fields. */
export interface Request {
  readonly type: DiscoveredType;
  readonly fields: readonly string[];
}

/**
 * Reads `pods.spec.containers` or `deployments.apps.spec`, which is a JSONPath of fields only.
 * @param ofAnyGroup whether a flag gives the group, so that the text contains none
 * @throws CommandError if the type does not exist or the text is malformed
 */
export async function readRequest(session: Session, text: string, ofAnyGroup: boolean): Promise<Request> {
  const [first, ...rest] = partsOf(text);
  const word = fieldName(first, 'first node');
  if (word === '') throw new CommandError('a resource must be present, got: /, Resource=');
  const named = (await session.discovered()).types.filter(isNamed(word));
  const groupOf = ({ plural, group }: DiscoveredType) => inGroup(plural, group);
  const exact = ofAnyGroup ? undefined : named.find((type) => text.startsWith(groupOf(type)));
  if (exact !== undefined) {
    const suffix = text.slice(groupOf(exact).length);
    // The rest begins with the dot before the first field.
    const below = suffix === '' ? [] : partsOf(suffix).slice(1);
    return { type: exact, fields: below.map((part) => fieldName(part, 'first node')) };
  }
  const type = await session.typeNamed(word);
  if (type === undefined) {
    const unknown = unknownType(word, (await session.discovered()).preferred());
    throw new CommandError(unknown.message, { plain: true, hint: unknown.hint });
  }
  return { type, fields: rest.map((part) => fieldName(part, ofAnyGroup ? 'all nodes' : 'first node')) };
}

/** The steps of a path without its first dot. Nodes that are not steps stay in the list as they are. */
function partsOf(text: string): (Step | Node)[] {
  const nodes = parsed(`{.${text.replace(/\.$/, '')}}`);
  if (nodes.length !== 1) throw new CommandError('must pass in 1 jsonpath string');
  const [node] = nodes;
  return node?.kind === 'action' ? stepsOf(node.nodes) : nodes;
}

function stepsOf(nodes: readonly Node[]): (Step | Node)[] {
  return nodes.flatMap((node) =>
    node.kind === 'path'
      ? // A single name in brackets is a field like any other.
        node.steps.flatMap((step) =>
          step.kind === 'union' && step.parts.length === 1 ? stepsOf(step.parts[0]!) : step,
        )
      : [node],
  );
}

function fieldName(part: Step | Node | undefined, which: string): string {
  if (part?.kind === 'field') return part.name;
  throw new CommandError(`invalid jsonpath syntax, ${which} must be field node${which.startsWith('all') ? 's' : ''}`);
}

function parsed(template: string): Node[] {
  try {
    return parseTemplate(template);
  } catch (error) {
    throw error instanceof PathSyntaxError ? new CommandError(error.message) : error;
  }
}
