interface Balancer {
  readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[] | null;
}

/** The addresses of a load balancer; '' if it has none. */
export function balancerText(balancer: Balancer | null | undefined, separator: string): string {
  return (balancer?.ingress ?? [])
    .map(({ ip, hostname }) => ip || hostname || '')
    .filter(Boolean)
    .join(separator);
}
