import type { Naming } from '#base/naming/naming.ts';
import { isNotFound } from '#client/errors.ts';
import type { ResourceClient } from '#client/resource-client.ts';
import { builtIn } from '#client/resource-type.ts';
import type { IPAddress, ServiceCIDR } from '#schema/generated/networking.v1.ts';
import { type Cidr, contains, isInside, parseCidr, parseIp } from '#schema/validation/ip.ts';
import { formatTime } from '#schema/values/time.ts';
import { type Controller, controller } from '../controller.ts';
import { protectionOf, setFinalizer } from '../protect.ts';

const networks = builtIn<ServiceCIDR>('networking', 'v1', 'servicecidrs', 'ServiceCIDR', false);
const addresses = builtIn<IPAddress>('networking', 'v1', 'ipaddresses', 'IPAddress', false);

const READY = 'Ready';
const PAGE = 500;

/**
 * Networks are few and change rarely. Releases since 1.33 have the kind, and a server of a later release may replace
 * the present one.
 */
const LOOK_MS = 5_000;
const ABSENT_MS = 60_000;

/** How long replicas may still assign addresses of a network after its deletion has begun. */
const GRACE_MS = 10_000;

interface Condition {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

const READY_NOW: Condition = { status: 'True', reason: '', message: 'The network is ready' };
const STILL_USED: Condition = {
  status: 'False',
  reason: 'Terminating',
  message: 'There are still IPAddresses of the ServiceCIDR: remove them or create another ServiceCIDR that has them',
};

/**
 * Makes networks of cluster IPs ready. It delays the deletion of a network while addresses belong only to this network.
 * @param lookMs the interval at which it checks them
 */
export function serviceCidrControllerOf(lookMs: number): Controller {
  return controller({
    name: 'service-cidr-controller',
    account: 'service-cidrs-controller',
    needs: [],

    start({ client, queue, naming, log, now }) {
      const finalizer = finalizerOf(naming);
      const resource = client.resource(networks);
      const keys = queue(async () => {
        const all: ServiceCIDR[] = [];
        try {
          for await (const page of resource.pages({ limit: PAGE })) all.push(...(page.items ?? []));
        } catch (error) {
          if (isNotFound(error)) return { afterMs: ABSENT_MS };
          throw error;
        }
        for (const one of all) await settle(one, all);
        return { afterMs: lookMs };
      });

      async function settle(one: ServiceCIDR, all: readonly ServiceCIDR[]): Promise<void> {
        const { name = '', deletionTimestamp } = one.metadata;
        const protection = protectionOf(one, finalizer);
        if (protection === 'consider') {
          if (await isUsed(one, all)) return setCondition(resource, one, STILL_USED, now());
          if (now() - Date.parse(deletionTimestamp!) < GRACE_MS) return;
          if (await setFinalizer(resource, one, finalizer, false))
            log.info({ name }, 'removed the finalizer of a service CIDR: it contains no address');
          return;
        }
        if (protection === 'add') await setFinalizer(resource, one, finalizer, true);
        else if (!deletionTimestamp) await setCondition(resource, one, READY_NOW, now());
      }

      /** Whether an address in use belongs to this network and to no other. */
      async function isUsed(one: ServiceCIDR, all: readonly ServiceCIDR[]): Promise<boolean> {
        const others = all.filter((other) => other !== one).flatMap(rangesOf);
        const alone = rangesOf(one).filter((range) => !others.some((other) => isInside(range, other)));
        if (alone.length === 0) return false;
        const labelSelector = `${naming.key('ipaddress/managed-by')}=${naming.domain('ipallocator')}`;
        for await (const page of client.resource(addresses).pages({ limit: PAGE, labelSelector }))
          for (const { metadata } of page.items ?? []) {
            const address = parseIp(metadata.name ?? '');
            if (address === undefined || others.some((range) => contains(range, address))) continue;
            if (alone.some((range) => contains(range, address))) return true;
          }
        return false;
      }

      keys.add('all');
    },
  });
}

/** The controller with its usual interval. */
export const serviceCidrController = serviceCidrControllerOf(LOOK_MS);

/** The finalizer that keeps a network while addresses of it are in use. */
function finalizerOf(naming: Naming): string {
  return `${naming.group('networking')}/service-cidr-finalizer`;
}

function rangesOf({ spec }: ServiceCIDR): Cidr[] {
  return (spec?.cidrs ?? []).flatMap((text) => parseCidr(text) ?? []);
}

/** Writes the condition if it changes. The write fails if another client has written since. */
async function setCondition(
  resource: ResourceClient<ServiceCIDR>,
  one: ServiceCIDR,
  wanted: Condition,
  now: number,
): Promise<void> {
  const conditions = one.status?.conditions ?? [];
  const before = conditions.find(({ type }) => type === READY);
  if (before?.status === wanted.status && before.reason === wanted.reason) return;
  const same = before?.status === wanted.status;
  const condition = { type: READY, ...wanted, lastTransitionTime: same ? before.lastTransitionTime : formatTime(now) };
  const others = conditions.filter(({ type }) => type !== READY);
  const status = { ...one.status, conditions: [...others, condition] };
  await resource.update({ ...one, status }, { subresource: 'status' });
}
