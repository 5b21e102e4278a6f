// The reference documentation of the reconciliation.
import { textBlock } from '../../model/text-block.ts';
import type { Parameter, RouteDescription } from '../../http/route.ts';
import { reconciliationExample } from '../reconciliation-schema.ts';
import { maxCursorLength } from '../reconciliation-cursor.ts';
import { maxPagePlaces } from '../reconciliation-pages.ts';
import { reconciliationParameters } from '../reconciliation.ts';

const meanings: Readonly<Record<(typeof reconciliationParameters)[number], Omit<Parameter, 'name' | 'in'>>> = {
  activity: {
    required: true,
    meaning: 'Code of the activity.',
    schema: { type: 'string', minLength: 1, maxLength: 3 },
    example: 'ACM',
  },
  from: {
    required: true,
    meaning: 'The newest stock image not later than this day or date-time is the earlier one.',
    schema: { type: 'string', maxLength: 35 },
    example: '2026-03-01',
  },
  to: {
    required: true,
    meaning: 'The newest stock image not later than this day or date-time is the later one.',
    schema: { type: 'string', maxLength: 35 },
    example: '2026-03-08',
  },
  after: {
    meaning: 'Goes on where the answer before ended: its `after`, with the other parameters unchanged.',
    schema: { type: 'string', minLength: 1, maxLength: maxCursorLength },
  },
  all: {
    meaning: 'With `true`, places without a difference too.',
    schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
  },
};

/** Whether the stock agrees with the movements. */
export const reconciliationDescriptions = {
  reconcileStock: {
    summary: 'Whether stock adds up',
    parameters: reconciliationParameters.map((name) => ({ name, in: 'query', ...meanings[name] })),
    description: textBlock`
      For each article, stock unit, lot and grade: what the earlier image has, with the movements between the two
      images, against what the later one has; and why it differs. By default only what differs. A page has at most
      ${String(maxPagePlaces)} places, those of whole articles or a part of those of one; go on with \`after\` until it
      is null. Totals are those of all places.
    `,
    answers: { schema: 'Reconciliation', example: reconciliationExample },
    refusals: { 404: ['resource-not-found'] },
  },
} as const satisfies Readonly<Record<string, RouteDescription>>;
