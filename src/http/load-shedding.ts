// The refusals of a busy server: 429 when the client itself causes the load, 503 when all clients together do.
import { textBlock } from '../model/text-block.ts';
import { Problem } from '../model/problem.ts';

/** Why a request was not carried out. The first ones are answered with 429, the `process-…` ones with 503. */
export type ShedReason =
  | 'client-bytes'
  | 'client-waiting'
  | 'process-bytes'
  | 'process-pieces'
  | 'process-waiting'
  | 'waited-too-long';

/**
 * A request that was refused to protect the service: nothing of it was done, and it need not be reported individually.
 */
export class Shed extends Problem {
  readonly reason: ShedReason;
  readonly #seconds: number;
  /** Created once each: creating an error costs more than sending the response. */
  readonly #later = new Map<number, Shed>();

  /** @param seconds when to retry */
  constructor(reason: ShedReason, seconds = 1) {
    const [slug, detail] = sentences[reason];
    const extra = slug === 'quota-exceeded' ? { 'violated-policies': [reason] } : {};
    super(slug, `${detail} Wait ${seconds} s.`, extra, { 'retry-after': String(seconds) });
    this.reason = reason;
    this.#seconds = seconds;
  }

  /** The same with a later time for retrying, in whole seconds. */
  in(seconds: number): Shed {
    if (seconds <= this.#seconds) return this;
    const known = this.#later.get(seconds);
    if (known !== undefined) return known;
    const made = new Shed(this.reason, seconds);
    this.#later.set(seconds, made);
    return made;
  }
}

const sentences = {
  'client-bytes': [
    'quota-exceeded',
    textBlock`
      Bodies and answers of this client that are still on their way hold too much memory. Read the answers, and send
      fewer large requests at once.
    `,
  ],
  'client-waiting': [
    'quota-exceeded',
    'Too many requests of this client are waiting for their turn. Send fewer at once.',
  ],
  'process-bytes': [
    'unavailable',
    'Bodies and answers that are still on their way hold all the memory that the service has for them.',
  ],
  'process-pieces': [
    'unavailable',
    'Too many bodies come in small pieces at the moment. Write the body through a buffer, and send it again.',
  ],
  'process-waiting': ['unavailable', 'The service is overloaded: too many requests are waiting for their turn.'],
  'waited-too-long': ['unavailable', 'The service is overloaded: the request waited too long for its turn.'],
} as const satisfies Record<ShedReason, readonly [slug: 'quota-exceeded' | 'unavailable', detail: string]>;
