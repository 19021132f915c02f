import type { FieldError } from '../errors/field-error.ts';

/** A field error with more said after its message. */
export function withDetail(error: FieldError, detail: string): FieldError {
  const body = `${error.body}: ${detail}`;
  return { ...error, body, text: `${error.field}: ${body}` };
}
