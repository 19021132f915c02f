/** Changes of pods within this number of milliseconds are handled together: a rollout has very many of them. */
export const SOON_MS = 40;
