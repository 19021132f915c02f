/** The members of etcd in deploy/compose.yaml. */
export const MEMBERS: readonly string[] = ['etcd1', 'etcd2', 'etcd3'];

/** The replicas of the API server there. */
export const REPLICAS: readonly string[] = ['apiserver1', 'apiserver2', 'apiserver3'];

/** The controller managers there. */
export const MANAGERS: readonly string[] = ['controller-manager1', 'controller-manager2'];

/** The schedulers there. */
export const SCHEDULERS: readonly string[] = ['scheduler1', 'scheduler2'];

/** The address for clients there. */
export const LOAD_BALANCER = 'lb';
