// Schemas and examples of the demonstration, for the description of the platform interface.
import type { Json } from '../http/openapi.ts';
import { instant, orNull, record, text, whole } from './schema-parts.ts';

const rows = (description: string, item: Json, maxItems: number): Json => ({
  type: 'array',
  maxItems,
  description,
  items: item,
});
const code = text('Activity.', 3);
/** Values of sentences: each has those of its code. */
const noteFields: Readonly<Record<string, Json>> = {
  fault: text('Name of a fault.', 60),
  articleReference: text('Article.'),
  orderUniqueID: text('Order.'),
  uniqueProcurementID: text('Procurement.'),
  supplierName: text('Who brings it.'),
  prepOrderGroupID: text('Wave of preparation.'),
  movementCode: text('Code of a movement.'),
  slug: text('Kind of a document.'),
  resource: text('What a message is of, such as `orders`.', 60),
  sequence: whole('Number of a message in its feed.'),
  quantity: whole('Pieces.'),
};
const note = record('Something for people to know.', {
  at: instant('By the clock of the demonstration.'),
  activityCode: code,
  code: text('What it is, for programs; docs/demonstration.md lists the codes. More may come.', 60),
  fields: record('The values in the text, as far as this code has them.', noteFields, Object.keys(noteFields)),
  text: text('The same as an English sentence.', 500),
});

/** Schemas by name. */
export const demonstrationSchemas: Readonly<Record<string, Json>> = {
  Demonstration: record('How the demonstration warehouse stands.', {
    at: instant('When it was asked.'),
    clock: instant('What its clock says.'),
    speed: { ...whole('How many times faster than time it runs.'), maximum: 3600 },
    running: {
      type: 'boolean',
      description: 'A server runs it; else its clock stands still, and what waits goes on waiting.',
    },
    deliveredTo: instant('Everything that happens up to then, by its clock, has been delivered.'),
    seed: instant('When its history ends: the same instant makes the same warehouse.'),
    activities: rows(
      'Its activities.',
      record('An activity.', { activityCode: code, activityName: text('Its name.', 30) }),
      20,
    ),
    advances: rows(
      'Advances of the clock that wait or are worked on, and the last 20 that ended; the newest first.',
      { $ref: '#/components/schemas/DemonstrationAdvance' },
      1000,
    ),
    faults: rows(
      'What can go wrong.',
      record('A fault.', {
        fault: text('Its name.', 60),
        meaning: text('What happens.', 500),
        setFor: rows('Activities for which it was asked for and has not happened yet.', code, 20),
      }),
      100,
    ),
    happened: rows('What happened that was asked for, the last ones.', note, 10),
    next: rows('What comes next.', note, 10),
  }),
  DemonstrationAdvance: record('A wish to have the clock set forward, and what became of it.', {
    advanceId: whole('Its number.'),
    state: text(
      '`waiting`; `running`; `done`: everything up to `to` is delivered; `failed`: `failure` says why, and what was ' +
        'delivered until then stays.',
      20,
      { enum: ['waiting', 'running', 'done', 'failed'] },
    ),
    hours: { type: 'number', format: 'double', description: 'How far, in hours of the clock of the demonstration.' },
    askedAt: instant('When it was asked for.'),
    askedBy: text('Login of the operator, name of the key, or who ran the command.'),
    from: orNull('What the clock said when the work on it began; null: it waits.', 24),
    to: orNull('What the clock says at the end; null: it waits.', 24),
    endedAt: orNull('When it ended, by the time of day; null: not yet.', 24),
    failure: orNull('Why it failed; null: it did not.', 2000),
  }),
  DemonstrationFault: record('A fault that was asked for.', {
    fault: text('Its name.', 60),
    activityCode: code,
    meaning: text('What happens.', 500),
  }),
};

export const advanceExample = {
  advanceId: 7,
  state: 'waiting',
  hours: 24,
  askedAt: '2026-03-02T08:05:09.120Z',
  askedBy: 'ops',
  from: null,
  to: null,
  endedAt: null,
  failure: null,
} as const;

const meaning = 'one movement of the next message never arrives: stock and movements no longer add up';
export const faultExample = { fault: 'lost-movement', activityCode: 'ACM', meaning } as const;

export const demonstrationExample = {
  at: '2026-03-02T08:05:10.004Z',
  clock: '2026-03-02T08:05:10.004Z',
  speed: 1,
  running: true,
  deliveredTo: '2026-03-02T08:05:00.000Z',
  seed: '2026-03-01T17:20:31.006Z',
  activities: [{ activityCode: 'ACM', activityName: 'Acme Home' }],
  advances: [advanceExample],
  faults: [{ fault: 'lost-movement', meaning, setFor: ['ACM'] }],
  happened: [
    {
      at: '2026-03-02T08:05:00.000Z',
      activityCode: 'ACM',
      code: 'fault-asked',
      fields: { fault: 'lost-movement' },
      text: 'lost-movement was asked for, of ACM',
    },
  ],
  next: [
    {
      at: '2026-03-02T08:12:51.000Z',
      activityCode: 'ACM',
      code: 'order-arrives',
      fields: { orderUniqueID: 'ACM-260302-01279' },
      text: 'order ACM-260302-01279 arrives',
    },
  ],
} as const;
