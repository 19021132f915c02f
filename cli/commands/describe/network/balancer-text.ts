interface Balancer {
  readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[] | null;
}

/** Where a load balancer is reached; '' where there is none. */
export function balancerText(balancer: Balancer | null | undefined, separator: string): string {
  return (balancer?.ingress ?? [])
    .map(({ ip, hostname }) => ip || hostname || '')
    .filter(Boolean)
    .join(separator);
}
