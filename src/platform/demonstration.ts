// The demonstration warehouse over HTTP: its clock, which can be set forward, and faults that can be requested.
import type { Answer, AuditedFailure, BodyLimits, Call, Route } from '../http/route.ts';
import { repeatable } from '../idempotency.ts';
import { singleParameters } from '../model/parameters.ts';
import { Problem } from '../model/problem.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { Store, WriteUnit } from '../store/store.ts';
import { administrationEntry, fieldsOf } from './administration/request.ts';
import { json } from './feed-lines.ts';

/** Operations on the demonstration; each throws Problem `resource-not-found` when this database contains none. */
export interface DemonstrationDesk {
  /** A caller must have access to all of them to request anything. */
  readonly activityCodes: readonly string[];
  readonly status: () => Promise<object>;
  /** Throws what `status` throws where there is none. */
  readonly require: () => Promise<void>;
  /**
   * @param unit the transaction that stores the answer
   * @param by for display
   * @param entryOf makes the audit entry for a duration
   * @throws Problem `validation-failed`, `demonstration-limit`
   */
  readonly advance: (
    unit: WriteUnit,
    request: { readonly hours?: number; readonly duration?: string },
    by: string,
    entryOf: (target: string) => NewAuditEntry,
  ) => Promise<object>;
  /**
   * @param unit the transaction that stores the answer
   * @param entryOf makes the audit entry for a fault in an activity
   * @throws Problem `validation-failed`, `demonstration-limit`
   */
  readonly fault: (
    unit: WriteUnit,
    request: { readonly fault: string; readonly activityCode: string },
    entryOf: (fault: string, activityCode: string) => NewAuditEntry,
  ) => Promise<object>;
}

export interface DemonstrationDependencies {
  readonly store: Pick<Store, 'idempotency' | 'records'>;
  /** Loaded on demand: a production server never needs it. */
  readonly demonstration: () => Promise<DemonstrationDesk>;
}

export const demonstrationBody: BodyLimits = { types: ['application/json'], limit: 4096, encodings: [] };

type Handle = Route['handle'];

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
 * @throws Problem `activity-forbidden`, `resource-not-found`, `validation-failed`, `demonstration-limit`, those of
 * `repeatable`
 */
export function advanceDemonstration({ store, demonstration }: DemonstrationDependencies): Handle {
  return async (call) => {
    const desk = await opened(call, demonstration);
    const request = await fieldsOf(call, { hours: 'number', duration: 'text' });
    const { subject, clientId } = call.principal;
    const entryOf = (target: string): NewAuditEntry =>
      administrationEntry(call, { action: advanceAction, target, activityCodes: desk.activityCodes });
    return once({ store, call, desk, request }, (unit) => desk.advance(unit, request, subject ?? clientId, entryOf));
  };
}

/**
 * `POST /platform/demonstration/faults`: makes one thing go wrong, once, at the next suitable moment.
 * @throws Problem `activity-forbidden`, `resource-not-found`, `validation-failed`, `demonstration-limit`, those of
 * `repeatable`
 */
export function askDemonstrationFault({ store, demonstration }: DemonstrationDependencies): Handle {
  return async (call) => {
    const desk = await opened(call, demonstration);
    const { fault = '', activityCode = desk.activityCodes[0] ?? '' } = await fieldsOf(
      call,
      { fault: 'text', activityCode: 'text' },
      ['fault'],
    );
    const entryOf = (target: string, code: string): NewAuditEntry =>
      administrationEntry(call, { action: faultAction, target, activityCodes: [code] });
    const request = { fault, activityCode };
    return once({ store, call, desk, request }, (unit) => desk.fault(unit, request, entryOf));
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

interface DemonstrationRequest extends Pick<DemonstrationDependencies, 'store'> {
  readonly call: Call;
  readonly desk: DemonstrationDesk;
  /** As it was read. */
  readonly request: object;
}

/** Asks for something, once under its `Idempotency-Key`. It is going to be done: 202. */
async function once(
  { store, call, desk, request }: DemonstrationRequest,
  ask: (unit: WriteUnit) => Promise<object>,
): Promise<Answer | AuditedFailure> {
  const fingerprint = (): string => JSON.stringify(request);
  return repeatable({ store }, call, { fingerprint }, async ({ write }) => {
    await desk.require();
    return write([], async (unit) => ({ ...json(await ask(unit)), status: 202 }));
  });
}
