// The demonstration warehouse over HTTP: its clock, which can be set forward, and faults that can be requested.
import type { Answer, BodyLimits, Call } from '../http/route.ts';
import { singleParameters } from '../model/parameters.ts';
import { Problem } from '../model/problem.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import { administrationEntry, fieldsOf } from './administration/request.ts';
import { json } from './feed-lines.ts';

/** Operations on the demonstration; each throws Problem `resource-not-found` when this database contains none. */
export interface DemonstrationDesk {
  /** A caller must have access to all of them to request anything. */
  readonly activityCodes: readonly string[];
  readonly status: () => Promise<object>;
  /**
   * @param by for display
   * @param entryOf makes the audit entry for a duration
   * @throws Problem `validation-failed`, `demonstration-limit`
   */
  readonly advance: (
    request: { readonly hours?: number; readonly duration?: string },
    by: string,
    entryOf: (target: string) => NewAuditEntry,
  ) => Promise<object>;
  /**
   * @param entryOf makes the audit entry for a fault in an activity
   * @throws Problem `validation-failed`, `demonstration-limit`
   */
  readonly fault: (
    request: { readonly fault: string; readonly activityCode: string },
    entryOf: (fault: string, activityCode: string) => NewAuditEntry,
  ) => Promise<object>;
}

export interface DemonstrationDependencies {
  /** Loaded on demand: a production server never needs it. */
  readonly demonstration: () => Promise<DemonstrationDesk>;
}

export const demonstrationBody: BodyLimits = { types: ['application/json'], limit: 4096, encodings: [] };

/** Its name in the audit trail, for the command and the request. */
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
 * `POST /platform/demonstration/advance`: asks the process that runs the demonstration to set the clock forward, after
 * earlier requests.
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
 * `POST /platform/demonstration/faults`: makes one thing go wrong, once, at the next suitable moment.
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

/** The demonstration, for callers who may change it: its clock affects all its activities. */
async function opened(
  { principal }: Call,
  load: DemonstrationDependencies['demonstration'],
): Promise<DemonstrationDesk> {
  const desk = await load();
  if (principal.everything !== true && !desk.activityCodes.every((code) => principal.activityCodes.includes(code)))
    throw new Problem('activity-forbidden', 'The demonstration is for those who open all of its activities.');
  return desk;
}

/** The request is accepted and will be carried out. */
function accepted(value: object): Answer {
  return { ...json(value), status: 202 };
}
