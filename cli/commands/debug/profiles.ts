import type { Container, PodSpec, SecurityContext } from '#schema/generated/core.v1.ts';

/** The way of debugging. A container is added to a pod, a pod is copied, or a pod runs on a node. */
export type Manner = 'ephemeral' | 'copy' | 'node';

/** The meaning of a value of `--profile`. */
export interface Profile {
  /** Makes the security context of the debug container from its present context. */
  readonly security: (own: SecurityContext | undefined, manner: Manner) => SecurityContext | undefined;
  /** The access of a container on a node to the node's files and to the node's namespaces. */
  readonly onNode: { readonly files: boolean; readonly namespaces: boolean };
  /**
   * Whether the containers of a copy share their processes, and the copy loses the fields that would make the cluster
   * treat it as the original pod. A flag can retain these fields.
   */
  readonly trimsCopies: boolean;
}

const added = (own: SecurityContext | undefined, ...capabilities: readonly string[]): SecurityContext => ({
  ...own,
  capabilities: { ...own?.capabilities, add: [...(own?.capabilities?.add ?? []), ...capabilities] },
});

/** The profiles by their names. */
export const PROFILES: ReadonlyMap<string, Profile> = new Map<string, Profile>([
  ['legacy', { security: (own) => own, onNode: { files: true, namespaces: true }, trimsCopies: false }],
  [
    'general',
    {
      security: (own, manner) => (manner === 'node' ? undefined : added(own, 'SYS_PTRACE')),
      onNode: { files: true, namespaces: true },
      trimsCopies: true,
    },
  ],
  ['baseline', { security: () => undefined, onNode: { files: false, namespaces: false }, trimsCopies: true }],
  [
    'restricted',
    {
      security: () => ({
        ...{ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, runAsNonRoot: true },
        seccompProfile: { type: 'RuntimeDefault' },
      }),
      onNode: { files: false, namespaces: false },
      trimsCopies: true,
    },
  ],
  [
    'netadmin',
    {
      security: (own) => added(own, 'NET_ADMIN', 'NET_RAW'),
      onNode: { files: false, namespaces: true },
      trimsCopies: true,
    },
  ],
  [
    'sysadmin',
    {
      security: (own) => ({ ...own, privileged: true }),
      onNode: { files: true, namespaces: true },
      trimsCopies: true,
    },
  ],
]);

/** Gives the debug container the rights of the profile. */
export function secure(container: Container, { security }: Profile, manner: Manner): void {
  const context = security(container.securityContext, manner);
  if (context === undefined) delete container.securityContext;
  else container.securityContext = context;
}

/** Gives a container access to its node, as the profile allows. */
export function openNode(spec: PodSpec, container: Container, { onNode }: Profile): void {
  if (onNode.namespaces) Object.assign(spec, { hostNetwork: true, hostPID: true, hostIPC: true });
  if (!onNode.files) return;
  spec.volumes = [...(spec.volumes ?? []), { name: 'host-root', hostPath: { path: '/' } }];
  container.volumeMounts = [...(container.volumeMounts ?? []), { mountPath: '/host', name: 'host-root' }];
}
