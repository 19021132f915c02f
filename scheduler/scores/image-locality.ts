import { BEST, type Score } from './score.ts';

const MEGABYTE = 1024 * 1024;
/**
 * A total image size below the first number counts as nothing. The second number is the largest size that counts for
 * each container.
 */
const LEAST = 23 * MEGABYTE;
const MOST_EACH = 1000 * MEGABYTE;

/** The name of an image with a tag, as nodes list it. */
function withTag(image: string): string {
  return /[:@][^/]*$/.test(image) ? image : `${image}:latest`;
}

/** Prefers nodes that already have large images of a pod. An image has more weight if more nodes have it. */
export const imageLocality: Score = {
  name: 'ImageLocality',
  weight: 1,
  prepare({ pod }, view, nodes) {
    const images = (pod.spec?.containers ?? []).map(({ image = '' }) => withTag(image));
    const sizes = new Map<string, Map<string, number>>();
    const spread = new Map<string, number>();
    for (const { name, node } of nodes) {
      const own = new Map<string, number>();
      for (const { names, sizeBytes = 0 } of node.status?.images ?? [])
        for (const image of names ?? []) if (images.includes(image)) own.set(image, Number(sizeBytes));
      if (own.size > 0) sizes.set(name, own);
      for (const image of own.keys()) spread.set(image, (spread.get(image) ?? 0) + 1);
    }
    if (sizes.size === 0) return undefined;
    const most = MOST_EACH * images.length;
    return {
      of: ({ name }) => {
        let sum = 0;
        for (const [image, size] of sizes.get(name) ?? []) sum += size * ((spread.get(image) ?? 0) / view.nodes.size);
        return Math.trunc((BEST * (Math.min(most, Math.max(LEAST, sum)) - LEAST)) / (most - LEAST));
      },
    };
  },
};
