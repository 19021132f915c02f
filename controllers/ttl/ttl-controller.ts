import { isNotFound } from '#client/errors.ts';
import { coreV1 } from '#client/generated/resources.ts';
import { controller, need } from '../controller.ts';

/**
 * The number of seconds for which nodes may keep data that they read, by the number of nodes. The ranges overlap, so
 * that the value does not alternate while a few nodes join and leave.
 */
const steps = [
  { least: 0, most: 100, seconds: 0 },
  { least: 90, most: 500, seconds: 15 },
  { least: 450, most: 1000, seconds: 30 },
  { least: 900, most: 2000, seconds: 60 },
  { least: 1800, most: 10_000, seconds: 300 },
  { least: 9000, most: Number.POSITIVE_INFINITY, seconds: 600 },
] as const;

/** The step for this number of nodes. `last` is the previous step. */
export function nextStep(last: number, nodes: number): number {
  let step = last;
  while (nodes > steps[step]!.most) step++;
  while (nodes < steps[step]!.least) step--;
  return step;
}

/**
 * Annotates each node with the time for which it may keep secrets and config maps before it reads them again. The time
 * is longer in larger clusters.
 */
export const ttlController = controller({
  name: 'ttl',
  account: 'ttl-controller',
  needs: [need(coreV1.nodes)],

  start({ client, informer, queue, naming, log, signal }) {
    const annotation = naming.key('node.alpha/ttl');
    const copies = informer(coreV1.nodes);
    const nodes = client.resource(coreV1.nodes);
    let step = nextStep(0, copies.size);
    const names = queue(async (name) => {
      const copy = copies.get(name);
      const seconds = String(steps[step]!.seconds);
      if (copy === undefined || copy.metadata.annotations?.[annotation] === seconds) return;
      // The write has no precondition. A node writes its status all the time, and the annotation does not depend on it.
      const { uid } = copy.metadata;
      try {
        await nodes.patch(name, 'merge', { metadata: { uid, annotations: { [annotation]: seconds } } });
        log.info({ node: name, seconds }, 'set the time for which a node may cache objects');
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    });
    const changed = ({ metadata }: { metadata: { name?: string } }) => names.add(metadata.name!);
    const counted = () => {
      const next = nextStep(step, copies.size);
      if (next === step) return;
      step = next;
      for (const node of copies.all()) changed(node);
    };
    const added = (node: { metadata: { name?: string } }) => {
      counted();
      changed(node);
    };
    copies.on({ added, updated: changed, deleted: counted }, signal);
  },
});
