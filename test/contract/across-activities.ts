// The statements that reach several activities at once on a distributed database, each named with when it is run. All
// others reach the rows of one activity.

import type { Reached } from './citus-stand-in.ts';

/** When. `request`: with some requests, and why that is bearable stands beside it. */
type When = 'request' | 'command' | 'background' | 'start';

interface AcrossActivities {
  readonly text: RegExp;
  readonly when: When;
  readonly why: string;
}

const acrossActivities: readonly AcrossActivities[] = [
  { text: /^select max\("number"\) from "activity"/, when: 'command', why: 'a new activity takes the next number' },
  {
    text: /^select .* from "activity" where true order by "code"/,
    when: 'background',
    why: 'commands and background work ask for all activities; a key for all of them twice a minute in a process',
  },
  {
    text: /^select .* from "activity" where true and "code" > \$1 order by "code" limit /,
    when: 'request',
    why: 'a page of the list of activities, which administration asks for',
  },
  {
    text: /^select code from activity order by code/,
    when: 'background',
    why: 'labels are emptied, one after another',
  },
  { text: /^select max\(last_write_at\) from activity/, when: 'command', why: 'doctor' },
  {
    text: /from "outbox_consumer" where (true|\(owner, consumer\) > )/,
    when: 'background',
    why: 'metrics, and the list of consumers',
  },
  {
    text: /from "outbox_consumer" where "consumer" = \$1 order by "owner"/,
    when: 'command',
    why: 'a consumer is forgotten',
  },
  { text: /^select distinct owner from outbox_consumer/, when: 'background', why: 'what was taken in is removed' },
  {
    text: /^select distinct consumer from outbox_consumer where key_id/,
    when: 'request',
    why: 'a consumer reads for the first time: a key may make only so many known',
  },
  { text: /^select owner from "\w+" where \(owner, /, when: 'start', why: 'a new version brings bodies to its form' },
  {
    text: /^select .* from "shipping_label" where ("context" = \$1|.*"state" in .*) order by "created_at" desc/,
    when: 'command',
    why: 'labels are listed, of a context or those in doubt, of all activities',
  },
  { text: /from "shipping_label" where "id" = /, when: 'command', why: 'a label is settled by hand' },
  {
    text: /from "(shipping_label|label_parcel|label_alias)" where .* and "owner" <> /,
    when: 'request',
    why: 'tracking of a number that is not among the labels of the activity: nobody may follow the parcels of another',
  },
  {
    text: /^select 1 from "(shipping_label|label_parcel|label_alias)" where .* and not \("owner" = \$\d+ and "/,
    when: 'command',
    why: 'a label is settled by hand: its number may be that of no other parcel',
  },
  { text: /^select stored_as from "order_document"/, when: 'background', why: 'files without a row are swept' },
  { text: /^select count\(\*\) from "shipping_label" where \("state" = /, when: 'background', why: 'metrics' },
  { text: /^select count\(\*\) from "shipping_label" where "state" in/, when: 'command', why: 'doctor' },
  {
    text: /^select owner, resource, feed, state, count\(\*\).* from "feed_message"/,
    when: 'background',
    why: 'metrics',
  },
  { text: /^select "owner", max\("extracted_at"\) from "stock_image"/, when: 'background', why: 'metrics' },
];

/** Tests look into tables as a whole. */
const ofTests: readonly RegExp[] = [
  /from "shipping_label" where ("account_id" = \$1|true)( order by .*)?$/,
  /^update "outbox_entry" set "created_at"/,
  /^delete from "stock_image" where "extracted_at"/,
  /^select count\(\*\) from "(article_stock|stock_image)"$/,
];

/** Where a transaction may write in several activities, by what is among its statements. */
const acrossTransactions: readonly AcrossActivities[] = [
  {
    text: /update "outbox_consumer"|into "outbox_consumer"|^insert into revision .*;\ninsert into revision /,
    when: 'request',
    why: 'a consumer takes in, or is given, entries of several activities: all of them or none',
  },
  {
    text: /for update(.|\n)*for update/,
    when: 'request',
    why: 'a client writes articles of several activities in one request: all of them or none',
  },
  { text: /delete from "outbox_consumer"/, when: 'command', why: 'a consumer is forgotten' },
];

/**
 * @throws Error for a statement of the program, or one of its transactions, that reaches several activities and is not
 * named
 */
export function requireNamed({ parts, text, plan, isTransaction }: Reached): void {
  if (parts.length <= 1) return;
  const known = isTransaction ? acrossTransactions : acrossActivities;
  if (known.some((named) => named.text.test(text)) || ofTests.some((pattern) => pattern.test(text))) return;
  throw new Error(`reaches the parts ${parts.join()} of a distributed database: ${text}\n${plan}`);
}
