import { isObject, type JsonObject, type JsonValue } from '#base/json/json-value.ts';
import type { FieldType, MessageType } from '../descriptors/types.ts';
import { roundToMilli } from '../values/round-to-milli.ts';

/** The fields to fill in objects of a message, and below them. */
interface Plan {
  readonly own: readonly FieldType[];
  readonly amounts: readonly FieldType[];
  readonly below: readonly FieldType[];
}

const NOTHING: Plan = { own: [], amounts: [], below: [] };
const plans = new WeakMap<MessageType, Plan>();

/**
 * Sets the defaults of `proto/` in an object and in all messages in it. It changes its argument. A missing message is
 * not added. Amounts of the core group are rounded up to thousandths, because the API keeps no smaller units. A second
 * call changes nothing.
 */
export function fillDefaults(type: MessageType, object: JsonObject): void {
  const { own, amounts, below } = planOf(type);
  for (const field of own) if (isUnset(field, object[field.name])) object[field.name] = field.defaultsTo!;
  for (const { name } of amounts) roundToMilli(object[name] as Record<string, string> | undefined);
  for (const { name, repeated, map, message } of below) {
    const value = object[name];
    if (repeated) {
      if (Array.isArray(value)) for (const item of value) if (isObject(item)) fillDefaults(message!, item);
    } else if (isObject(value)) {
      if (!map) fillDefaults(message!, value);
      else for (const item of Object.values(value)) if (isObject(item)) fillDefaults(message!, item);
    }
  }
}

/** If a field cannot distinguish absent from zero, zero means that it is unset. */
function isUnset({ pointer }: FieldType, value: JsonValue | undefined): boolean {
  return value === undefined || value === null || (!pointer && (value === '' || value === 0 || value === false));
}

function planOf(type: MessageType): Plan {
  let plan = plans.get(type);
  if (plan === undefined) {
    plan = type.jsonForm !== 'object' ? NOTHING : planned(type);
    plans.set(type, plan);
  }
  return plan;
}

function planned(type: MessageType): Plan {
  const { jsonFields } = type;
  return {
    own: jsonFields.filter(({ defaultsTo }) => defaultsTo !== undefined),
    amounts: jsonFields.filter((field) => isAmounts(type, field)),
    below: jsonFields.filter(({ message }) => message !== undefined && hasDefaults(message, new Set())),
  };
}

function isAmounts(type: MessageType, { map, message }: FieldType): boolean {
  return map && message?.jsonForm === 'quantity' && type.name.startsWith('core.');
}

function hasDefaults(type: MessageType, seen: Set<MessageType>): boolean {
  if (seen.has(type) || type.jsonForm !== 'object') return false;
  seen.add(type);
  return type.jsonFields.some((field) => {
    const { defaultsTo, message } = field;
    return defaultsTo !== undefined || isAmounts(type, field) || (message !== undefined && hasDefaults(message, seen));
  });
}
