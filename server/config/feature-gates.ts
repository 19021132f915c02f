/** The feature gates of a running server. */
export interface FeatureGates {
  /** Whether a gate is on. Throws on a name that is not known: a programming error. */
  enabled(name: string): boolean;
}
