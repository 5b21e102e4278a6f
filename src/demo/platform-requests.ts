// Requests of the platform interface to the demonstration: its state, setting its clock forward, and faults.
import { formatInstant } from '../model/instant.ts';
import { Problem } from '../model/problem.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { DemoAdvance } from '../store/demo-advances.ts';
import type { Store, WriteUnit } from '../store/store.ts';
import { demoActivities } from './activities.ts';
import { askAdvance, askFault, DemoRefused, isDemoActivity, living } from './demo-requests.ts';
import { hourMs } from './calendar.ts';
import { clockAt, isAttended, parseDuration } from './clock.ts';
import { demoFaults, isDemoFault } from './faults.ts';
import { faultIn, parseSummary } from './summary.ts';
import { type DemoNote, sentenceOf } from './notes.ts';

type Rooms = Pick<Store, 'demonstration'>;

/** How far one request may set the clock forward; a longer way takes several requests. */
const maxHours = 168;

/** Activities of the demonstration: a requester needs access to all of them. */
export const demoActivityCodes: readonly string[] = demoActivities.map(({ code }) => code);

/**
 * The state of the demonstration.
 * @param now milliseconds since 1970
 * @throws Problem `resource-not-found` if there is none
 */
export async function demonstrationStatus({ demonstration }: Rooms, now: number): Promise<object> {
  const clock = await asProblem(async () => living(await demonstration.clock()));
  const [waiting, advances] = [await demonstration.waiting(), await demonstration.advances.latest()];
  const { faults, happened, next } = parseSummary(clock.summary);
  const set = [...waiting.flatMap(({ body }) => faultIn(body) ?? []), ...faults];
  const told = (note: DemoNote): object => ({ ...note, at: formatInstant(note.at), text: sentenceOf(note) });
  return {
    at: formatInstant(now),
    clock: formatInstant(clockAt(clock, now)),
    speed: clock.speed,
    running: isAttended(clock, now),
    deliveredTo: formatInstant(clock.playedTo),
    seed: formatInstant(clock.filledAt),
    activities: demoActivities.map(({ code, name }) => ({ activityCode: code, activityName: name })),
    advances: advances.map(published),
    faults: Object.entries(demoFaults).map(([fault, meaning]) => ({
      fault,
      meaning,
      setFor: demoActivityCodes.filter((code) => set.some((one) => one.fault === fault && one.activity === code)),
    })),
    happened: happened.map(told),
    next: next.map(told),
  };
}

/** @throws Problem `resource-not-found` if there is no live demonstration */
export async function requireDemonstration({ demonstration }: Rooms): Promise<void> {
  await asProblem(async () => living(await demonstration.clock()));
}

/** As in the body of a request: one of the two. */
interface AdvanceRequest {
  readonly hours?: number;
  readonly duration?: string;
}

/**
 * Queues an advance of the clock.
 * @param unit the transaction that stores the answer
 * @param asked when, milliseconds since 1970, and by whom
 * @param entryOf makes the audit entry of a duration
 * @throws Problem `resource-not-found`, `validation-failed`, `demonstration-limit`
 */
export async function requestAdvance(
  unit: Pick<WriteUnit, 'askAdvance'>,
  request: AdvanceRequest,
  asked: { readonly now: number; readonly by: string },
  entryOf: (target: string) => NewAuditEntry,
): Promise<object> {
  return asProblem(async () => {
    const { hours, duration } = request;
    const durationMs = durationOf(request);
    return published(await askAdvance(unit.askAdvance, { durationMs, ...asked }, entryOf(duration ?? `${hours}h`)));
  });
}

/**
 * Requests a fault.
 * @param unit the transaction that stores the answer
 * @param entryOf makes the audit entry of a fault in an activity
 * @throws Problem `resource-not-found`, `validation-failed`, `demonstration-limit`
 */
export async function requestFault(
  unit: Pick<WriteUnit, 'askInput'>,
  { fault, activityCode }: { readonly fault: string; readonly activityCode: string },
  now: number,
  entryOf: (fault: string, activityCode: string) => NewAuditEntry,
): Promise<object> {
  return asProblem(async () => {
    if (!isDemoFault(fault))
      throw invalid('fault', `There is no such fault; there are ${Object.keys(demoFaults).join(', ')}.`);
    if (!isDemoActivity(activityCode))
      throw invalid('activityCode', `The demonstration has ${demoActivityCodes.join(' and ')}.`);
    await askFault(unit.askInput, { activity: activityCode, fault, now }, entryOf(fault, activityCode));
    return { fault, activityCode, meaning: demoFaults[fault] };
  });
}

/** @throws Problem `validation-failed` */
function durationOf({ hours, duration }: AdvanceRequest): number {
  if ((hours === undefined) === (duration === undefined))
    throw invalid('hours', 'Say how far: either hours, or duration.');
  const asked = hours === undefined ? parseDuration(duration ?? '') : hours * hourMs;
  if (asked !== null && asked > 0 && asked <= maxHours * hourMs) return asked;
  throw hours === undefined
    ? invalid('duration', 'duration must be minutes, hours or days, such as 30m, 6h or 1d; 7d at most.')
    : invalid('hours', `hours must be from 1 to ${maxHours}.`);
}

function invalid(name: string, sentence: string): Problem {
  return new Problem('validation-failed', sentence, { errors: { [name]: [sentence] } });
}

function published({ number, state, durationMs, askedAt, askedBy, ...advance }: DemoAdvance): object {
  const instant = (at: number | null): string | null => (at === null ? null : formatInstant(at));
  return {
    advanceId: number,
    state,
    hours: durationMs / hourMs,
    askedAt: formatInstant(askedAt),
    askedBy,
    from: instant(advance.fromClock),
    to: instant(advance.toClock),
    endedAt: instant(advance.endedAt),
    failure: advance.failure,
  };
}

/** Converts a refusal to a problem. */
async function asProblem<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DemoRefused)) throw error;
    const isThere = error.reason === 'too-far' || error.reason === 'too-many';
    throw new Problem(isThere ? 'demonstration-limit' : 'resource-not-found', `${error.message} ${error.remedy}`);
  }
}
