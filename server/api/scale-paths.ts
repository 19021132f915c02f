/** Where an object has what its `scale` view shows: simple paths, such as `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** The text of a selector. */
  readonly labelSelectorPath?: string;
}
