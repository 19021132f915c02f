import { selectorText } from '#client/label-selector.ts';
import type { Job } from '#schema/generated/batch.v1.ts';
import { formatAge } from '../../../output/age.ts';
import type { Describer } from '../describer.ts';
import { controlledBy, marks, names } from '../heading.ts';
import { describeTemplate } from '../pod/template.ts';
import { timeText } from '../times.ts';

/** The largest length of a list of indexes. Longer lists are cut. */
const LONGEST_LIST = 50;

/** Describes a job. Shows its settings, its progress, and the template of its pods. */
export const describeJob: Describer = (writer, object) => {
  const { spec, status = {} } = object as Job;
  names(writer, object);
  if (spec?.selector) writer.field(0, 'Selector', selectorText(spec.selector) || '<none>');
  marks(writer, object);
  controlledBy(writer, object);
  writer.field(0, 'Parallelism', spec?.parallelism ?? '<unset>');
  writer.field(0, 'Completions', spec?.completions ?? '<unset>');
  writer.optional(0, 'Completion Mode', spec?.completionMode);
  writer.optional(0, 'Suspend', spec?.suspend);
  writer.optional(0, 'Backoff Limit', spec?.backoffLimit);
  writer.optional(0, 'TTL Seconds After Finished', spec?.ttlSecondsAfterFinished);
  const { startTime, completionTime, active = 0, ready, succeeded = 0, failed = 0 } = status;
  if (startTime) writer.field(0, 'Start Time', timeText(startTime));
  if (completionTime) writer.field(0, 'Completed At', timeText(completionTime));
  if (startTime && completionTime)
    writer.field(0, 'Duration', formatAge(Date.parse(completionTime) - Date.parse(startTime)));
  if (spec?.activeDeadlineSeconds != null) writer.field(0, 'Active Deadline Seconds', `${spec.activeDeadlineSeconds}s`);
  const readyText = ready == null ? '' : ` (${ready} Ready)`;
  writer.field(0, 'Pods Statuses', `${active} Active${readyText} / ${succeeded} Succeeded / ${failed} Failed`);
  if (spec?.completionMode === 'Indexed')
    writer.field(0, 'Completed Indexes', cut(status.completedIndexes ?? '') || '<none>');
  describeTemplate(writer, spec?.template);
};

/** A list, cut at the first comma after the largest length. */
function cut(indexes: string): string {
  const end = indexes.indexOf(',', LONGEST_LIST);
  return end < 0 ? indexes : `${indexes.slice(0, end + 1)}...`;
}
