import type { Naming } from '#base/naming/naming.ts';

/** The product's word as a name in a sentence. */
export function productName({ product }: Pick<Naming, 'product'>): string {
  return product.slice(0, 1).toUpperCase() + product.slice(1);
}
