import { cloneJson } from '../json/clone-json.ts';

/** The view that writes only the status: the spec stays as it is. */
export function keepSpec<S extends object>(object: { spec?: S }, old: { spec?: S }): void {
  if (old.spec === undefined) delete object.spec;
  else object.spec = cloneJson(old.spec);
}
