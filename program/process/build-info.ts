import { BUILD } from '../flags/build.ts';
import { RELEASE, type ReleaseParts } from '../flags/release.ts';
import type { MetricSet } from '../metrics/metric-set.ts';

/** Reports the release of a program, in the labels that other programs of this field use. */
export function buildInfo(metrics: MetricSet, release: ReleaseParts = RELEASE): void {
  const unknown = { build_date: '', compiler: '', git_commit: BUILD.commit, git_tree_state: '', go_version: '' };
  const { gitVersion, major, minor } = release;
  const platform = `${process.platform}/${process.arch}`;
  metrics.gauge('orch_build_info').set({ ...unknown, git_version: gitVersion, major, minor, platform }, 1);
}
