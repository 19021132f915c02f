/** A difference that is intended, or follows only from the order of events, and the reason for it. */
export interface Meant {
  /** The key, in the form `scenario: step: object: property`. */
  readonly of: RegExp;
  readonly why: string;
}

export const meant: readonly Meant[] = [
  {
    of: /^(rollout: resumed|recreate: a new image|recreate: made again): deployments web: Progressing$/,
    why: 'this manager writes the status once for each step, so it skips intermediate reasons',
  },
  {
    of: /^jobs: .*: jobs late: state/,
    why: 'the other manager of release 1.25 leaves `ready` as it was when a job has failed; this one sets it to 0',
  },
  {
    of: /^cron: .*: jobs of web: state/,
    why: 'this manager writes the annotation of the scheduled time in all releases; the other one began with 1.27',
  },
];

/** Differences that appear in some runs, because the order of events depends on other programs. */
export const raced: readonly Meant[] = [
  {
    of: /^recreate: deleted without its pods: deployments web: Available$/,
    why: 'the status may be written before the deployment is removed, or not',
  },
  {
    of: /^sets: a pod that is looked for: events of pods found$/,
    why: 'the pod may start before the replica set deletes it, or not',
  },
  {
    of: /^(parallel: it is deleted: events of (pods|persistentvolumeclaims .*)db-|eviction: .*: events of poddisruptionbudgets)/,
    why: 'an object may be tried once more before it changes, or not',
  },
];
