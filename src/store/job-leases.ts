// In charge of background work that one process of a database does at a time: who is at it, and when it was last done.
import { textBlock } from '../model/text-block.ts';
import { type Engine, type WriteTransaction, placeholders } from './engine.ts';

/**
 * How long a lease lasts unless its holder renews it, milliseconds: what a process was at when it died is taken over
 * after so long.
 */
export const jobLease = 60_000;

/** The right to do one round of a piece of work. */
export interface HeldRound {
  /** Lets the lease last anew. */
  renew(): Promise<void>;
  /** Gives it back: the round is done, and the next one is due after its time. */
  end(): Promise<void>;
  /** Gives it back undone: the round is due as it was before. */
  giveUp(): Promise<void>;
}

/** Rounds of background work, shared by all processes of a database. */
export interface JobLeases {
  /**
   * Takes the next round of a piece of work where it is due and nobody is at it.
   * @param every milliseconds from the end of one round, whoever did it, to the next
   * @returns or in how many milliseconds to ask again
   */
  take(name: string, every: number): Promise<HeldRound | number>;
}

/**
 * The leases of a database, for one process. A row each: it costs no connection while nothing is done, and works alike
 * on both engines.
 * @param holder name of the process that no other one has
 */
export function createJobLeases(engine: Engine, holder: string): JobLeases {
  const set = async (
    name: string,
    assignment: (now: number, add: (value: string | number) => string) => string,
  ): Promise<void> => {
    await engine.write(async (transaction) => {
      const { values, add } = placeholders(engine.dialect);
      const text = textBlock`
        update job_lease set ${assignment(await transaction.now(), add)} where name = ${add(name)} and holder =
        ${add(holder)}
      `;
      await transaction.query({ text, values });
    });
  };
  return {
    take: (name, every) =>
      engine.write(async (transaction) => {
        const now = await transaction.now();
        if (!(await takeRow(engine, transaction, { name, holder, every, now })))
          return waitFor(engine, transaction, { name, every, now });
        return {
          renew: () => set(name, (at, add) => `ends_at = ${add(at + jobLease)}`),
          end: () => set(name, (at, add) => `holder = '', ends_at = 0, done_at = ${add(at)}`),
          giveUp: () => set(name, () => "holder = '', ends_at = 0"),
        };
      }),
  };
}

interface Wanted {
  readonly name: string;
  readonly every: number;
  readonly now: number;
}

/**
 * Times that lie far ahead are those of a clock that was set back: they count as past. A little ahead are those of a
 * process that was faster while this one waited for the row.
 */
async function takeRow(
  { dialect }: Engine,
  transaction: WriteTransaction,
  { name, holder, every, now }: Wanted & { readonly holder: string },
): Promise<boolean> {
  const { values, add } = placeholders(dialect);
  const insert = textBlock`
    insert into job_lease (name, holder, ends_at) values (${add(name)}, ${add(holder)}, ${add(now + jobLease)})
  `;
  const isFree = `(job_lease.ends_at <= ${add(now)} or job_lease.ends_at > ${add(now + 2 * jobLease)})`;
  const isDue = textBlock`
    (job_lease.done_at is null or job_lease.done_at <= ${add(now - every)} or job_lease.done_at >
    ${add(now + jobLease)})
  `;
  const taken = 'holder = excluded.holder, ends_at = excluded.ends_at';
  const text = `${insert} on conflict (name) do update set ${taken} where ${isFree} and ${isDue} returning holder`;
  return (await transaction.query({ text, values })).length > 0;
}

async function waitFor(
  { dialect }: Engine,
  transaction: WriteTransaction,
  { name, every, now }: Wanted,
): Promise<number> {
  const { values, add } = placeholders(dialect);
  const [row] = await transaction.query({
    text: `select ends_at, coalesce(done_at, 0) from job_lease where name = ${add(name)}`,
    values,
  });
  const [endsAt = 0, doneAt = 0] = (row ?? []).map(Number);
  return Math.max(endsAt - now, doneAt + every - now, shortestWait);
}

/** Milliseconds. */
const shortestWait = 1000;
