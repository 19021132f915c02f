import { selectorText } from '#client/label-selector.ts';
import type { CronJob } from '#schema/generated/batch.v1.ts';
import type { Describer } from '../describer.ts';
import { heading } from '../heading.ts';
import { describeTemplate } from '../pod/template.ts';
import { timeText } from '../times.ts';

const UNSET = '<unset>';

/** Describes a cron job. Shows its schedule, the template of its jobs, and the running jobs. */
export const describeCronJob: Describer = (writer, object) => {
  const { spec, status } = object as CronJob;
  const { selector, parallelism, completions, activeDeadlineSeconds, template } = spec?.jobTemplate?.spec ?? {};
  const seconds = (count: number | null | undefined) => (count == null ? UNSET : `${count}s`);
  heading(writer, object);
  writer.fields(0, {
    Schedule: spec?.schedule ?? '',
    'Concurrency Policy': spec?.concurrencyPolicy ?? '',
    Suspend: spec?.suspend == null ? UNSET : spec.suspend ? 'True' : 'False',
    'Successful Job History Limit': spec?.successfulJobsHistoryLimit ?? UNSET,
    'Failed Job History Limit': spec?.failedJobsHistoryLimit ?? UNSET,
    'Starting Deadline Seconds': seconds(spec?.startingDeadlineSeconds),
    Selector: selector ? selectorText(selector) || '<none>' : UNSET,
    Parallelism: parallelism ?? UNSET,
    Completions: completions ?? UNSET,
  });
  if (activeDeadlineSeconds != null) writer.field(0, 'Active Deadline Seconds', seconds(activeDeadlineSeconds));
  describeTemplate(writer, template);
  writer.field(0, 'Last Schedule Time', status?.lastScheduleTime ? timeText(status.lastScheduleTime) : UNSET);
  const active = (status?.active ?? []).map(({ name = '' }) => name);
  writer.field(0, 'Active Jobs', active.join(', ') || '<none>');
};
