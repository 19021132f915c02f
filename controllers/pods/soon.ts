/**
 * The time in milliseconds within which changes of pods are handled together, because a rollout causes very many of
 * them.
 */
export const SOON_MS = 40;
