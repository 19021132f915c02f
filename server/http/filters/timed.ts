import type { Stage } from '#program/tracing/request-stages.ts';
import type { Filter } from '../../api/filter.ts';
import type { RequestContext } from '../../api/request-context.ts';

/**
 * A filter whose own part, up to the filter behind it, is a stage of the request; one that answers itself is in it.
 * What leaves the stage is a filter of its own: nothing has to be made for each request. Those that it does nothing
 * for, as `concerns` says, are not timed: that would take longer.
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
