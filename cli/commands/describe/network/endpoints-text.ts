import { discoveryV1 } from '#client/generated/resources.ts';
import type { EndpointSlice } from '#schema/generated/discovery.v1.ts';
import type { DescribeContext } from '../describer.ts';
import { listAll } from '../related.ts';

/** The largest number of addresses that the text contains. For the other addresses, it contains only their number. */
const MOST = 3;

/** The endpoint slices of a service. @throws ApiError if the user may not read them */
export function slicesOf(
  context: DescribeContext,
  namespace: string | undefined,
  service: string,
): Promise<EndpointSlice[]> {
  const labelSelector = `${context.naming.key('service-name')}=${service}`;
  return listAll(context, discoveryV1.endpointslices, namespace, { labelSelector });
}

/** The ready addresses of a service's port, such as `10.0.0.1:80,10.0.0.2:80 + 3 more...`. */
export function endpointsText(slices: readonly EndpointSlice[], portName: string): string {
  if (slices.length === 0) return '<none>';
  const shown: string[] = [];
  let count = 0;
  let more = false;
  for (const { ports, endpoints } of slices) {
    const wanted = ports?.length ? ports.filter(({ name = '' }) => name === portName) : [undefined];
    for (const port of wanted)
      for (const { addresses, conditions } of endpoints ?? []) {
        if (shown.length === MOST) more = true;
        if (conditions?.ready === false) continue;
        if (!more) shown.push(withPort(addresses?.[0] ?? '', port?.port));
        count++;
      }
  }
  return `${shown.join(',')}${more ? ` + ${count - MOST} more...` : ''}`;
}

function withPort(address: string, port: number | null | undefined): string {
  if (port == null) return address;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}
