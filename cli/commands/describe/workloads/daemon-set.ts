import { selectorText } from '#client/label-selector.ts';
import type { DaemonSet } from '#schema/generated/apps.v1.ts';
import type { Describer } from '../describer.ts';
import { marks } from '../heading.ts';
import { describeTemplate } from '../pod/template.ts';
import { podCountsText } from './pod-counts.ts';

/** Describes a daemon set. Shows the number of nodes with its pods, and the template of its pods. */
export const describeDaemonSet: Describer = async (writer, object, context) => {
  const { metadata, spec, status } = object as DaemonSet;
  const selector = selectorText(spec?.selector);
  writer.field(0, 'Name', metadata.name ?? '');
  writer.field(0, 'Selector', selector || '<none>');
  writer.labels(0, 'Node-Selector', spec?.template?.spec?.nodeSelector);
  marks(writer, object);
  const counts = {
    'Desired Number of Nodes Scheduled': status?.desiredNumberScheduled,
    'Current Number of Nodes Scheduled': status?.currentNumberScheduled,
    'Number of Nodes Scheduled with Up-to-date Pods': status?.updatedNumberScheduled,
    'Number of Nodes Scheduled with Available Pods': status?.numberAvailable,
    'Number of Nodes Misscheduled': status?.numberMisscheduled,
  };
  for (const [name, count = 0] of Object.entries(counts)) writer.line(0, `${name}: ${count}`);
  writer.field(0, 'Pods Status', await podCountsText(object, selector, context));
  describeTemplate(writer, spec?.template);
};
