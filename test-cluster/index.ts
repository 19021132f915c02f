// The door of the package: what a program outside of this project imports as `@orch/test-cluster`.

export { TestClusterError } from './cluster-process.ts';
export { Fault, Faults } from './faults.ts';
export type { ClusterOptions, FaultCode, RequestMatch } from './messages.ts';
export { startCluster } from './start-cluster.ts';
export { ClusterClock, type ClusterUser, TestCluster } from './test-cluster.ts';
