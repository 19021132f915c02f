/** The places of the values in an object's `scale` view, as simple paths such as `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** The text of a selector. */
  readonly labelSelectorPath?: string;
}
