import type { Job } from '../../generated/batch.v1.ts';

/** A job without labels gets those of its template. */
export function copyLabels({ metadata, spec }: Job): void {
  const labels = spec?.template.metadata?.labels;
  if (labels !== undefined && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = labels;
}
