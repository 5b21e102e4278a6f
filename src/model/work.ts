// Tracks what is being done at the moment, for logs, traces and timings: a request, a round of background work, a
// message of a feed, and the parts of each. The context follows the calls across every `await`.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { StageTimes } from './stage-times.ts';
import type { Span, SpanAttributes } from './tracing.ts';

/** What the time of a part is counted as. */
export type Stage = 'wait' | 'storage' | 'carrier' | 'work';

/** A part of some work, before it begins. */
export interface Part {
  readonly stage: Stage;
  /** `client`: something else is called, such as a database. */
  readonly kind: 'client' | 'internal';
  /** Name and attributes for a trace, following the semantic conventions; called only when there is a trace. */
  readonly describe: () => { readonly name: string; readonly attributes?: SpanAttributes };
}

export interface PartUnderWay {
  /** Its span in a trace; null: it is in none. */
  readonly span: Span | null;
  /** Must be called once. @param failure what went wrong, in a word without personal data; null: nothing */
  readonly end: (attributes?: SpanAttributes, failure?: string | null) => void;
}

/** A piece of work, and the observers of its parts. */
export interface Work {
  /** What the log adds to each entry: the request, task or message at hand. */
  readonly facts: () => Readonly<Record<string, unknown>>;
  readonly begin: (part: Part) => PartUnderWay;
}

/** A piece of work. With neither a span nor times, nothing observes its parts: they cost nothing. */
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

/** The work that the caller is part of. */
export function currentWork(): Work {
  return current.getStore() ?? nothing;
}

/** Runs a function as (a part of) this work. */
export function inWork<T>(work: Work, does: () => T): T {
  return current.run(work, does);
}

/**
 * Runs a part of the current work as work of its own: further parts belong to this part.
 * @param facts facts to add to those of the current work
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

/** Awaits a promise and records the time as waiting. */
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

/** The name of an error in a trace: its class, never its message, which may contain submitted data. */
export function kindOfError(error: unknown): string {
  if (!(error instanceof Error)) return 'error';
  return 'slug' in error && typeof error.slug === 'string' ? error.slug : error.constructor.name;
}

const unwatched: PartUnderWay = { span: null, end: () => undefined };
const nothing: Work = { facts: () => ({}), begin: () => unwatched };
/** One for the program: it holds no state except what belongs to the calling context. */
const current = new AsyncLocalStorage<Work>();
