/** The name of this scheduler in pods. It is also their default. */
export const SCHEDULER_NAME = 'default-scheduler';
