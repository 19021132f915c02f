/** The name of this scheduler in pods, which is the default there. */
export const SCHEDULER_NAME = 'default-scheduler';
