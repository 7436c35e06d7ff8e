import { drawChanges } from './changed.ts';
import type { Fields } from './fields.ts';
import type { OutputShape } from './shape.ts';

type Updated = Extract<OutputShape, { readonly kind: 'record' }>;

/** The output of an update: what changed to a person, the whole object where it is asked for with `-o` or `--fields`. */
export function updated(fields: Fields): Updated {
  return {
    kind: 'record',
    fields,
    async drawOne(row, context) {
      if (Array.isArray(row.changed)) return drawChanges(row.changed, context);
      // The whole object, where the table was asked for by its name.
      return (await import('./card.ts')).drawCard(row, fields, context, false);
    },
  };
}
