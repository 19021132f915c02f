import type { Naming } from '#base/naming/naming.ts';

/** The product's word in the form of a name, for sentences. */
export function productName({ product }: Pick<Naming, 'product'>): string {
  return product.slice(0, 1).toUpperCase() + product.slice(1);
}
