import type { Filter } from '../../api/filter.ts';

/** Tells browsers to use this host only with TLS (RFC 6797). `policy` is the header's value. */
export function strictTransportSecurity(policy: string): Filter {
  return (context, next) => {
    context.raw().response.setHeader('Strict-Transport-Security', policy);
    return next(context);
  };
}
