/** The name by which pods ask for this scheduler, which they do by default. */
export const SCHEDULER_NAME = 'default-scheduler';
