// The demonstration warehouse on the wire: its clock, which can be set forward, and its faults, which can be asked for.
import type { Answer, BodyLimits, Call } from '../http/route.ts';
import { singleParameters } from '../model/parameters.ts';
import { Problem } from '../model/problem.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import { administrationEntry, fieldsOf } from './administration/request.ts';
import { json } from './feed-lines.ts';

/** What is asked of the demonstration; each throws Problem `resource-not-found` where this database holds none. */
export interface DemonstrationDesk {
  /** Who asks for anything must open all of them. */
  readonly activityCodes: readonly string[];
  readonly status: () => Promise<object>;
  /**
   * @param by for people
   * @param entryOf makes the audit entry of a duration
   * @throws Problem `validation-failed`, `demonstration-limit`
   */
  readonly advance: (
    request: { readonly hours?: number; readonly duration?: string },
    by: string,
    entryOf: (target: string) => NewAuditEntry,
  ) => Promise<object>;
  /**
   * @param entryOf makes the audit entry of a fault in an activity
   * @throws Problem `validation-failed`, `demonstration-limit`
   */
  readonly fault: (
    request: { readonly fault: string; readonly activityCode: string },
    entryOf: (fault: string, activityCode: string) => NewAuditEntry,
  ) => Promise<object>;
}

export interface DemonstrationDependencies {
  /** Loaded where somebody asks: a server of an operator has no use for it. */
  readonly demonstration: () => Promise<DemonstrationDesk>;
}

export const demonstrationBody: BodyLimits = { types: ['application/json'], limit: 4096, encodings: [] };

/** What the audit trail calls it, by a command or by a request. */
export const advanceAction = 'demo.advance';
export const faultAction = 'demo.fault';

/**
 * `GET /platform/demonstration`.
 * @throws Problem `activity-forbidden`, `resource-not-found`
 */
export function readDemonstration({ demonstration }: DemonstrationDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    singleParameters(call.query, []);
    return json(await (await opened(call, demonstration)).status());
  };
}

/**
 * `POST /platform/demonstration/advance`: the clock is set forward by whoever runs the demonstration, after what was
 * asked for before.
 * @throws Problem `activity-forbidden`, `resource-not-found`, `validation-failed`, `demonstration-limit`
 */
export function advanceDemonstration({ demonstration }: DemonstrationDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    const desk = await opened(call, demonstration);
    const request = await fieldsOf(call, { hours: 'number', duration: 'text' });
    const { subject, clientId } = call.principal;
    const entryOf = (target: string): NewAuditEntry =>
      administrationEntry(call, { action: advanceAction, target, activityCodes: desk.activityCodes });
    return accepted(await desk.advance(request, subject ?? clientId, entryOf));
  };
}

/**
 * `POST /platform/demonstration/faults`: one thing goes wrong, once, at the next fitting moment.
 * @throws Problem `activity-forbidden`, `resource-not-found`, `validation-failed`, `demonstration-limit`
 */
export function askDemonstrationFault({ demonstration }: DemonstrationDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    const desk = await opened(call, demonstration);
    const { fault = '', activityCode = desk.activityCodes[0] ?? '' } = await fieldsOf(
      call,
      { fault: 'text', activityCode: 'text' },
      ['fault'],
    );
    const entryOf = (target: string, code: string): NewAuditEntry =>
      administrationEntry(call, { action: faultAction, target, activityCodes: [code] });
    return accepted(await desk.fault({ fault, activityCode }, entryOf));
  };
}

/** The demonstration, for who may ask it for something: its clock is that of all its activities. */
async function opened(
  { principal }: Call,
  load: DemonstrationDependencies['demonstration'],
): Promise<DemonstrationDesk> {
  const desk = await load();
  if (principal.everything !== true && !desk.activityCodes.every((code) => principal.activityCodes.includes(code)))
    throw new Problem('activity-forbidden', 'The demonstration is for those who open all of its activities.');
  return desk;
}

/** It is asked for, and is going to be done. */
function accepted(value: object): Answer {
  return { ...json(value), status: 202 };
}
