/** Changes of pods within so many milliseconds are looked at together: a rollout has very many of them. */
export const SOON_MS = 40;
