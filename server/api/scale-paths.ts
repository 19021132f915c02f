/** The places of the values of an object's `scale` view: simple paths, such as `.spec.replicas`. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  /** The text of a selector. */
  readonly labelSelectorPath?: string;
}
