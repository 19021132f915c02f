import type { Stage } from '#program/tracing/request-stages.ts';
import type { Filter } from '../../api/filter.ts';
import type { RequestContext } from '../../api/request-context.ts';

/**
 * Measures the time of a filter as a stage of the request. The stage ends when the filter calls the next one, or
 * answers. A second filter ends the stage, so no closure is made for each request. Requests that `concerns` excludes
 * are not measured, because the measurement would cost more than the filter.
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
