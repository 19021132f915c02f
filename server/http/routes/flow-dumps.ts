import { type Answer, text } from '../../api/answer.ts';
import type { RequestContext } from '../../api/request-context.ts';
import { dumpOf } from '../../priority/dumps.ts';
import type { FlowControl } from '../../priority/flow-control.ts';

const PREFIX = '/debug/api_priority_and_fairness/';

/**
 * Lists the priority levels, their queues, or the requests that wait in them, for people. Undefined for other paths.
 */
export function flowDumps({ info, query }: RequestContext, control: FlowControl | undefined): Answer | undefined {
  if (control === undefined || !info.path.startsWith(PREFIX)) return undefined;
  const details = query.get('includeRequestDetails');
  const dump = dumpOf(control, info.path.slice(PREFIX.length), details !== null && details !== '' && details !== '0');
  return dump === undefined ? undefined : text(200, dump);
}
