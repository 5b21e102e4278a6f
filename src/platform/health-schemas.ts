// Schemas and examples of the health report, for the description of the platform interface.
import type { Json } from '../http/openapi.ts';
import { maxCountedEntries } from '../store/outbox-progress.ts';
import { instant, orNull, record, text, uuid, whole } from './schema-parts.ts';

const seconds = (description: string): Json => ({ type: 'number', format: 'double', description });
const rows = (description: string, item: Json, maxItems: number): Json => ({
  type: 'array',
  maxItems,
  description,
  items: item,
});
const orNothing = (schema: Json): Json => ({ ...schema, type: [schema.type, 'null'] });

const service = record('What the processes of this server have done since they started, together.', {
  startedAt: orNull('When the first of them started.', 24),
  processes: whole('How many answer requests.'),
  running: whole('Requests that have their turn now.'),
  waiting: whole('Requests that wait for it.'),
  requests: rows(
    'Answers by class of status, probes of monitors left out.',
    record('Answers of one class.', {
      status: text('Such as `2xx`.', 3),
      count: whole('How many.'),
      seconds: seconds('How long they took, together.'),
    }),
    20,
  ),
  lastFailureAt: orNull('When a request last failed by a fault of the service.', 24),
  problems: rows(
    'Problems that were answered, the most frequent ones.',
    record('One kind.', { problem: text('Last part of its type.', 60), count: whole('How often.') }),
    20,
  ),
  shed: whole('Requests and connections that were turned away to keep the service alive.'),
  taskFailures: rows(
    'Background work that failed.',
    record('One kind.', {
      failure: text('What the log says.'),
      count: whole('How often.'),
      lastAt: orNull('When it last did.', 24),
    }),
    20,
  ),
  carrierCalls: rows(
    'Calls of carriers, by host.',
    record('Calls of one host.', {
      host: text('Its name.'),
      calls: whole('How many.'),
      failed: whole('Those without an answer, and those that the carrier answered with a fault of its own.'),
      lastFailureAt: orNull('When one last failed so.', 24),
      seconds: seconds('How long they took, together.'),
    }),
    20,
  ),
  disks: rows(
    'Disks that the service writes to.',
    record('One disk.', {
      place: text('What is kept there: `data`, `feeds`.', 20),
      freeBytes: whole('What may still be written.'),
      sizeBytes: whole('How large it is.'),
    }),
    2,
  ),
});

/** Schemas by name. */
export const healthSchemas: Readonly<Record<string, Json>> = {
  Health: record('How the service does now.', {
    at: instant('When it was asked.'),
    version: text('Of the program.', 40),
    storage: record('The database.', {
      engine: text('Which one.', 20, { enum: ['sqlite', 'postgresql'] }),
      milliseconds: whole('How long it took to answer.'),
    }),
    activities: rows(
      'Activities, by code.',
      record('An activity.', {
        activityCode: text('Activity.', 3),
        activityName: text('Its name.', 30),
        lastWriteAt: orNull('When anything of it was last written.', 24),
        stockImageAt: orNull('Of when its latest stock image is.', 24),
        refusedLines: whole('Lines that were refused and wait to be mended or dropped; 1000 stand for any more.'),
      }),
      46_656,
    ),
    unfinished: rows(
      'Feeds with messages that ended before their lines did, in the last seven days.',
      record('Messages of one feed.', {
        activityCode: text('Activity.', 3),
        resource: text('What the feed sends.', 40),
        feed: text('Its name.', 40),
        state: text('Whether they can be gone on with.', 20, { enum: ['open', 'interrupted'] }),
        messages: whole('How many.'),
        oldest: instant('When the first of them came.'),
      }),
      1000,
    ),
    labelsUnknown: orNothing(whole('Labels of which nobody knows whether the carrier made them; null: not told.')),
    tasks: orNothing(
      rows(
        'Background work; null: not told.',
        record('One piece of it.', {
          name: text('Its name.', 60),
          doneAt: orNull('When a round was last ended, by whichever process.', 24),
          isRunning: { type: 'boolean', description: 'Somebody is at it.' },
        }),
        100,
      ),
    ),
    service: orNothing({ ...service, description: `${service.description} Null: not told.` }),
  }),
  OutboxConsumers: record('Who takes the outbox.', {
    consumers: rows(
      'Those first that wait longest.',
      record('One consumer in one activity.', {
        consumer: orNull('Its name; null: nobody takes what waits there.', 60),
        activityCode: text('Activity.', 3),
        delivered: text('Position up to which it was given entries.', 40),
        acknowledged: text('Position up to which it has taken them in.', 40),
        waiting: { ...whole('Entries that it has not acknowledged.'), maximum: maxCountedEntries },
        waitingSince: orNull('When the oldest of them was written; null where nothing waits.', 24),
        updatedAt: orNull('When it was last given something, or acknowledged something.', 24),
      }),
      1000,
    ),
    more: { type: 'boolean', description: 'There are more than these.' },
  }),
  WaitingEntries: record('What waits in the outbox.', {
    entries: rows(
      'Oldest first.',
      record('One write of a client.', {
        position: text('Position of this entry.', 40),
        activityCode: text('Activity that it belongs to.', 3),
        changeNumber: whole('Its number in the activity.'),
        kind: text('What was written.', 20, { enum: ['article', 'document'] }),
        key: text('Reference of the article, or id of the document.', 64),
        operationId: uuid('The write that it was part of.'),
        at: instant('When it was written.'),
      }),
      100,
    ),
    after: orNull('Where the answer ends, for `after`; null where there is nothing more.', 15),
  }),
};

export const waitingExample = {
  entries: [
    {
      position: 'AUR:1042',
      activityCode: 'AUR',
      changeNumber: 1042,
      kind: 'article',
      key: 'LAMP-7',
      operationId: '019c8ef1-1a00-7c52-b3d8-90af41e6d200',
      at: '2026-03-02T08:05:09.120Z',
    },
  ],
  after: null,
} as const;

export const healthExample = {
  at: '2026-03-02T08:05:09.120Z',
  version: '1.0.0',
  storage: { engine: 'sqlite', milliseconds: 1 },
  activities: [
    {
      activityCode: 'AUR',
      activityName: 'Aurore',
      lastWriteAt: '2026-03-02T08:05:01.004Z',
      stockImageAt: '2026-03-02T04:00:00.000Z',
      refusedLines: 3,
    },
  ],
  unfinished: [],
  labelsUnknown: 0,
  tasks: [{ name: 'audit', doneAt: '2026-03-02T08:00:00.000Z', isRunning: false }],
  service: {
    startedAt: '2026-03-01T20:00:00.000Z',
    processes: 4,
    running: 1,
    waiting: 0,
    requests: [{ status: '2xx', count: 48_120, seconds: 210.4 }],
    lastFailureAt: null,
    problems: [{ problem: 'invalid-filter', count: 3 }],
    shed: 0,
    taskFailures: [],
    carrierCalls: [
      {
        ...{ host: 'api.carrier.example', calls: 118, failed: 1 },
        ...{ lastFailureAt: '2026-03-02T06:12:09.114Z', seconds: 71.2 },
      },
    ],
    disks: [{ place: 'data', freeBytes: 81_604_378_624, sizeBytes: 105_089_261_568 }],
  },
} as const;

export const consumersExample = {
  consumers: [
    {
      consumer: 'wms',
      activityCode: 'AUR',
      delivered: 'AUR:1042',
      acknowledged: 'AUR:1040',
      waiting: 2,
      waitingSince: '2026-03-02T08:04:58.003Z',
      updatedAt: '2026-03-02T08:05:00.000Z',
    },
  ],
  more: false,
} as const;
