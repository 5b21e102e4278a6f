// The settings that limit something: rates, connections, requests, memory, times, and how long data is kept.
import { textBlock } from '../model/text-block.ts';
import { integer, type Setting } from './setting-kinds.ts';

/** In the order in which help lists them. */
export const limitSettings = {
  readRate: {
    name: 'RATE_READS',
    kind: integer({}),
    default: '600',
    meaning: textBlock`
        Reads that one client may make in a minute, from all processes of the database together; where people sign in at
        a client, each of them. So it is with all bounds of one client. 0: no limit.
      `,
  },
  writeRate: {
    name: 'RATE_WRITES',
    kind: integer({}),
    default: '120',
    meaning: 'Writes that one client may make in a minute, refused ones included; 0: no limit.',
  },
  labelRate: {
    name: 'RATE_LABELS',
    kind: integer({}),
    default: '60',
    meaning: 'Labels and uploads that one client may make in a minute; 0: no limit.',
  },
  platformRate: {
    name: 'RATE_PLATFORM',
    kind: integer({}),
    default: '3000',
    meaning: 'Requests that one platform key may make in a minute; 0: no limit.',
  },
  anonymousRate: {
    name: 'RATE_ANONYMOUS',
    kind: integer({}),
    default: '600',
    meaning: textBlock`
        Requests without a valid token that may be refused to one address in a minute before the answers are held back,
        for up to 5 seconds; its network has ten times as many. 0: no limit.
      `,
  },
  signInRate: {
    name: 'RATE_SIGN_INS',
    kind: integer({}),
    default: '60',
    meaning: textBlock`
        Sign-ins that may be begun from one address in a minute, and half of the forms that may be sent; browsers in
        which somebody has signed in before count apart. 0: no limit.
      `,
  },
  maxConnections: {
    name: 'MAX_CONNECTIONS',
    kind: integer({}),
    default: '2000',
    meaning: textBlock`
      Connections that may be open at a time; further ones are closed at once, or in their place idle ones of an address
      that has many more. 0: no limit.
    `,
  },
  maxAddressConnections: {
    name: 'MAX_ADDRESS_CONNECTIONS',
    kind: integer({}),
    default: '250',
    meaning: textBlock`
      The same from one address (IPv6: network of 64 bits), and four times as many from an IPv6 network of 48 bits;
      those of TRUST_PROXY have as many as they want.
    `,
  },
  maxRunningRequests: {
    name: 'MAX_RUNNING_REQUESTS',
    kind: integer({ min: 1, max: 10_000 }),
    default: '16',
    meaning: textBlock`
        Reads that are worked on at a time, half as many short writes, and as many long ones; others wait, and
        turns go round the clients.
      `,
  },
  maxClientRunningRequests: {
    name: 'MAX_CLIENT_RUNNING_REQUESTS',
    kind: integer({ min: 1, max: 10_000 }),
    default: '4',
    meaning: 'The same for one client.',
  },
  maxOpenRequests: {
    name: 'MAX_OPEN_REQUESTS',
    kind: integer({ min: 1 }),
    default: '1000',
    meaning: 'Requests that are worked on or wait; beyond that they are answered with 503.',
  },
  maxClientOpenRequests: {
    name: 'MAX_CLIENT_OPEN_REQUESTS',
    kind: integer({ min: 1 }),
    default: '250',
    meaning: 'The same for one client; beyond that its requests are answered with 429.',
  },
  maxWaitSeconds: {
    name: 'MAX_WAIT_SECONDS',
    kind: integer({ min: 1, max: 60, unit: 'seconds' }),
    default: '10',
    meaning: textBlock`
        Seconds that a request waits for its turn before it is answered with 503; a tenth of it once there has
        always been somebody waiting for so long.
      `,
  },
  maxClientMegabytesInFlight: {
    name: 'MAX_CLIENT_MB_IN_FLIGHT',
    kind: integer({ max: 100_000, unit: 'MB' }),
    default: '64',
    meaning: textBlock`
        Memory, in MB, that request bodies of one client and answers that it has not read yet may hold at a time; a body
        of articles needs up to 21. 0: no limit.
      `,
  },
  maxMegabytesInFlight: {
    name: 'MAX_MB_IN_FLIGHT',
    kind: integer({ max: 100_000, unit: 'MB' }),
    default: '256',
    meaning: 'The same for all clients together; 0: no limit.',
  },
  maxFeeds: {
    name: 'MAX_FEEDS',
    kind: integer({ min: 1, max: 1000 }),
    default: '8',
    meaning: textBlock`
        Feeds that may come in by HTTP at a time, half as many by one platform key; further ones are answered with
        503 or 429.
      `,
  },
  maxFeedMegabytes: {
    name: 'MAX_FEED_MB',
    kind: integer({ min: 1, max: 1_000_000, unit: 'MB' }),
    default: '10000',
    meaning: 'Length of one feed that comes in by HTTP, in MB, decompressed; a longer one is answered with 413.',
  },
  pageCacheMegabytes: {
    name: 'PAGE_CACHE_MB',
    kind: integer({ max: 100_000, unit: 'MB' }),
    default: '16',
    meaning: 'Memory for rendered pages that are asked for again, in MB; 0: none.',
  },
  stockRetentionDays: {
    name: 'STOCK_RETENTION_DAYS',
    kind: integer({ min: 1, max: 36_500, unit: 'days' }),
    default: '400',
    meaning: 'Days after which an older stock image is removed; the latest always stays.',
  },
  auditRetentionDays: {
    name: 'AUDIT_RETENTION_DAYS',
    kind: integer({ min: 1, max: 36_500, unit: 'days' }),
    default: '400',
    meaning: 'Days after which an entry of the audit trail is removed.',
  },
  requestLogDays: {
    name: 'REQUEST_LOG_DAYS',
    kind: integer({ max: 36_500, unit: 'days' }),
    default: '7',
    meaning: textBlock`
        Days for which the last requests of each client are kept for operators, with path, query, status and problem; at
        most 1000 of each client. 0: none are kept.
      `,
  },
  outboxRetentionDays: {
    name: 'OUTBOX_RETENTION_DAYS',
    kind: integer({ min: 1, max: 36_500, unit: 'days' }),
    default: '30',
    meaning: 'Days after which an entry of the outbox is removed that every consumer has acknowledged.',
  },
  labelRetentionDays: {
    name: 'LABEL_RETENTION_DAYS',
    kind: integer({ min: 1, max: 36_500, unit: 'days' }),
    default: '90',
    meaning: textBlock`
        Days for which the files of a shipping label are kept and their links work; then what the service
        knows of sender and recipient is removed too.
      `,
  },
  movementRetentionDays: {
    name: 'MOVEMENT_RETENTION_DAYS',
    kind: integer({ min: 1, max: 36_500, unit: 'days' }),
    default: null,
    meaning: 'Days after its last write for which a stock movement is kept; not set: for ever.',
  },
  orderRetentionDays: {
    name: 'ORDER_RETENTION_DAYS',
    kind: integer({ min: 1, max: 36_500, unit: 'days' }),
    default: null,
    meaning: 'Days after its last write for which an order is kept, with its reports and documents; not set: for ever.',
  },
  orderReportRetentionDays: {
    name: 'ORDER_REPORT_RETENTION_DAYS',
    kind: integer({ min: 1, max: 36_500, unit: 'days' }),
    default: null,
    meaning: 'Days after its last write for which a preparation report is kept; not set: for ever.',
  },
  procurementRetentionDays: {
    name: 'PROCUREMENT_RETENTION_DAYS',
    kind: integer({ min: 1, max: 36_500, unit: 'days' }),
    default: null,
    meaning: 'Days after its last write for which a procurement is kept, with its reports; not set: for ever.',
  },
  procurementReportRetentionDays: {
    name: 'PROCUREMENT_REPORT_RETENTION_DAYS',
    kind: integer({ min: 1, max: 36_500, unit: 'days' }),
    default: null,
    meaning: 'Days after its last write for which a reception report is kept; not set: for ever.',
  },
  feedRetentionDays: {
    name: 'FEED_RETENTION_DAYS',
    kind: integer({ min: 1, max: 36_500, unit: 'days' }),
    default: '400',
    meaning: textBlock`
        Days for which the lines of feeds that were refused are kept, with file names, ids, keys and warnings of their
        messages; the counts of every message stay, and all of the last one of each feed.
      `,
  },
  feedOpenHours: {
    name: 'FEED_OPEN_HOURS',
    kind: integer({ min: 1, max: 8760, unit: 'hours' }),
    default: '72',
    meaning: textBlock`
        Hours for which a message of a feed that was cut waits to be gone on with; then it ends as \`interrupted\`, and
        what was written of it stays.
      `,
  },
  carrierAnswerSeconds: {
    name: 'CARRIER_ANSWER_SECONDS',
    kind: integer({ min: 1, max: 90, unit: 'seconds' }),
    default: '15',
    meaning: 'Seconds that a carrier may take for one answer.',
  },
  carrierTotalSeconds: {
    name: 'CARRIER_TOTAL_SECONDS',
    kind: integer({ min: 1, max: 90, unit: 'seconds' }),
    default: '40',
    meaning: 'Seconds for everything that a carrier is asked for one request, repeats included.',
  },
  maxLongReads: {
    name: 'MAX_LONG_READS',
    kind: integer({ min: 2, max: 64 }),
    default: '2',
    meaning: textBlock`
        Queries without an index that are worked on at a time, at most half of them of one client: each is a
        process beside the embedded database, or a connection to PostgreSQL. Others wait for their turn.
      `,
  },
  maxLongReadSeconds: {
    name: 'MAX_LONG_READ_SECONDS',
    kind: integer({ min: 1, max: 600, unit: 'seconds' }),
    default: '30',
    meaning: 'Seconds after which such a query is ended.',
  },
  slowStatementMs: {
    name: 'SLOW_STATEMENT_MS',
    kind: integer({ max: 600_000, unit: 'milliseconds' }),
    default: '1000',
    meaning: textBlock`
        A statement of the database that takes so many milliseconds is logged with its plan, without values; at most
        six a minute. 0: none.
      `,
  },
} as const satisfies Record<string, Setting>;
