// In charge of what is being done at the moment, as whoever watches the program sees it: a request, a round of
// background work, a message of a feed, and the parts of each. It follows the calls by itself, across every `await`.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { StageTimes } from './stage-times.ts';
import type { Span, SpanAttributes } from './tracing.ts';

/** What the time of a part counts as. */
export type Stage = 'wait' | 'storage' | 'carrier' | 'work';

/** A part of some work, before it begins. */
export interface Part {
  readonly stage: Stage;
  /** `client`: somebody else is asked, such as a database. */
  readonly kind: 'client' | 'internal';
  /** Name and attributes for a trace, in the words of the semantic conventions; asked for only where there is one. */
  readonly describe: () => { readonly name: string; readonly attributes?: SpanAttributes };
}

export interface PartUnderWay {
  /** What it is in a trace; null: it is in none. */
  readonly span: Span | null;
  /** To be called once. @param failure what went wrong, in a word without personal data; null: nothing did */
  readonly end: (attributes?: SpanAttributes, failure?: string | null) => void;
}

/** A piece of work, and who is told of its parts. */
export interface Work {
  /** What the log says of it beside what happened: its request, its task, its message. */
  readonly facts: () => Readonly<Record<string, unknown>>;
  readonly begin: (part: Part) => PartUnderWay;
}

/** A piece of work. Where neither a span nor times are given, nobody wants to know of its parts: they cost nothing. */
export function workOf(
  facts: Work['facts'],
  { span = null, times = null }: { readonly span?: Span | null; readonly times?: StageTimes | null } = {},
): Work {
  if (span === null && times === null) return { facts, begin: () => unwatched };
  return {
    facts,
    begin: ({ stage, kind, describe }) => {
      times?.begin(stage);
      const described = span === null ? null : describe();
      const part = described === null ? null : (span?.child(described.name, kind, described.attributes ?? {}) ?? null);
      return {
        span: part,
        end: (attributes = {}, failure = null) => {
          times?.end(stage);
          part?.end(attributes, failure);
        },
      };
    },
  };
}

/** What is being done by whoever asks. */
export function currentWork(): Work {
  return current.getStore() ?? nothing;
}

/** Does something as (a part of) this work. */
export function inWork<T>(work: Work, does: () => T): T {
  return current.run(work, does);
}

/**
 * Does a part of the current work as work of its own: parts of it belong to this part.
 * @param facts what there is to say of it beside what is said of the current work
 */
export async function inPart<T>(
  part: Part,
  facts: Readonly<Record<string, unknown>>,
  does: () => Promise<T>,
): Promise<T> {
  const around = currentWork();
  const { span, end } = around.begin(part);
  try {
    const result = await inWork(
      workOf(() => ({ ...around.facts(), ...facts }), { span }),
      does,
    );
    end();
    return result;
  } catch (error) {
    end({}, kindOfError(error));
    throw error;
  }
}

/** Waits, and tells so. */
export async function waited<T>(name: string, wait: Promise<T>): Promise<T> {
  const { end } = currentWork().begin({ stage: 'wait', kind: 'internal', describe: () => ({ name }) });
  try {
    const result = await wait;
    end();
    return result;
  } catch (error) {
    end({}, kindOfError(error));
    throw error;
  }
}

/** What an error is called in a trace: its class, never its message, which may hold what somebody sent. */
export function kindOfError(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  return 'slug' in error && typeof error.slug === 'string' ? error.slug : error.constructor.name;
}

const unwatched: PartUnderWay = { span: null, end: () => undefined };
const nothing: Work = { facts: () => ({}), begin: () => unwatched };
/** One for the program: it holds no state, but what belongs to the call that asks. */
const current = new AsyncLocalStorage<Work>();
