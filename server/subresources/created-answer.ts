import { type Answer, object } from '../api/answer.ts';
import { ObjectContent } from '../api/object-content.ts';
import type { Registry } from '../resources/registry.ts';

/** The answer to a POST that creates no object: 201 with a Status. */
export function createdAnswer(registry: Registry): Answer {
  const status = { metadata: {}, status: 'Success', code: 201 };
  return object(ObjectContent.ofObject('Status', 'v1', registry.schema.message('meta.v1.Status'), status), 201);
}
