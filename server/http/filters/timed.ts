import type { Stage } from '#program/tracing/request-stages.ts';
import type { Filter } from '../../api/filter.ts';
import type { RequestContext } from '../../api/request-context.ts';

/**
 * Times a filter as a stage of the request. The stage ends where the filter calls the next one, or answers. A second
 * filter ends the stage, so no closure is made for each request. Requests that the filter does not handle, as
 * `concerns` says, are not timed, because timing would cost more than the filter.
 */
export function timed(
  stage: Stage,
  filter: Filter,
  concerns: (context: RequestContext) => boolean = () => true,
): readonly Filter[] {
  return [
    (context, next) => {
      if (!concerns(context)) return next(context);
      const { stages } = context;
      stages.enter(stage, stages.last);
      return filter(context, next);
    },
    (context, next) => {
      context.stages.leave(stage);
      return next(context);
    },
  ];
}
