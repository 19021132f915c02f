// The entry of the package. It has the exports of `@orch/test-cluster` for programs outside of this project.

export { TestClusterError } from './cluster-process.ts';
export { Fault, Faults } from './faults.ts';
export type { ClusterOptions, FaultCode, RequestMatch } from './messages.ts';
export { startCluster } from './start-cluster.ts';
export { ClusterClock, type ClusterUser, TestCluster } from './test-cluster.ts';
