import { plainText } from '../../api/answer.ts';
import type { Auditor } from '../../api/auditor.ts';
import type { Filter } from '../../api/filter.ts';

/** Starts the record of a request. Answers 500 if the mode requires the record and recording fails. */
export function auditFilter(auditor: Auditor): Filter {
  return async (context, next) => {
    const record = auditor.begin(context);
    if (record === undefined) return next(context);
    if (await record.received()) {
      context.audit = record;
      return next(context);
    }
    auditor.rejected();
    const { path } = context.info;
    return plainText(500, `Internal Server Error: ${JSON.stringify(path)}: failed to store audit event\n`);
  };
}

/** Records requests that are refused before {@link auditFilter}, most often because of failed authentication. */
export function auditRefusedFilter(auditor: Auditor): Filter {
  return async (context, next) => {
    try {
      return await next(context);
    } catch (error) {
      if (context.user === undefined) context.audit = auditor.beginRefused(context);
      throw error;
    }
  };
}
