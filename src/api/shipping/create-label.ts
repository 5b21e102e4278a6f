// Creates a label: checks the request, and has the label made unless that was done before.
import { hash } from 'node:crypto';
import { requireSettings } from '../../carriers/account-needs.ts';
import type { CallCarrier } from '../../carriers/host.ts';
import type { Answer, AuditedFailure, BodyLimits, Call, Handling } from '../../http/route.ts';
import { readChoice, singleParameters } from '../../model/parameters.ts';
import { Problem } from '../../model/problem.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import type { Store } from '../../store/store.ts';
import { begunLabel, repeatable } from '../../idempotency.ts';
import { type AccountDependencies, accountFinder, type OpenAccount } from '../../shipping/accounts.ts';
import { carrierProblem, errorsByField } from '../../shipping/carrier-problems.ts';
import { labelAction, labelAnswer, knownLabelAnswer } from './label-answers.ts';
import { customsOfLabel } from '../../shipping/customs-of-label.ts';
import type { LabelFileDependencies } from './label-files.ts';
import { invalidLabel, readLabelRequest } from '../../shipping/label-request.ts';
import { makeLabel } from './make-label.ts';
import { type OrderOfLabel, orderOfLabel, wasNameOf } from '../../shipping/order-of-label.ts';

export interface LabelDependencies extends AccountDependencies, LabelFileDependencies {
  readonly store: Store;
  readonly callCarrier: CallCarrier;
}

/** Of the body (decision D42). */
const maxBodyBytes = 65_536;

/** The body limits of `POST /shippings/labels/{context}/{carrier}`. */
export const labelBody: BodyLimits = {
  types: ['application/json', 'text/json', 'application/*+json'],
  limit: maxBodyBytes,
  encodings: [],
};

/**
 * Makes the handler.
 * @returns handler that throws Problem `resource-not-found`, `validation-failed`, `malformed-json`, `quota-exceeded`,
 * `carrier-rejected`, `carrier-unavailable`, `carrier-timeout`, and those of `repeatable`
 */
export function createLabel(dependencies: LabelDependencies): Handling {
  const findAccount = accountFinder(dependencies);
  const handle = async (call: Call): Promise<Answer | AuditedFailure> => {
    const opened = await findAccount(call);
    const { stored, carrier } = opened;
    if (carrier.createLabel === null)
      throw new Problem('resource-not-found', `${carrier.title} makes no labels here; it can be asked for tracking.`);
    const given = singleParameters(call.query, ['orderId', 'dryRun']);
    const dryRun = readChoice('dryRun', given.get('dryRun'), ['true', 'false'], 'false') === 'true';
    const body = await call.body();
    await call.confirmAccess(stored.activity);
    const read = readLabelRequest(body, stored.sender, carrier.desk.handover.isReturn);
    const named = await orderNamed(dependencies, call, {
      activity: stored.activity,
      name: given.get('orderId'),
      dryRun,
    });
    const { orderId } = named;
    // What the client sent, without the presets, which may change between a request and its repetition.
    const fingerprint = hash('sha256', JSON.stringify([read.own, orderId]), 'base64url');
    const identity = { fingerprint: () => fingerprint, labelOf: stored.activity };
    return repeatable(dependencies, call, identity, async (request) => {
      // Before anything that depends on settings or data, which may change too: the label exists.
      if (!dryRun && request.label !== null) return knownLabelAnswer(request.label, fingerprint);
      // The label was settled as not made since: there is nothing to repeat, and no order to make one for.
      if (named.missing !== null) throw named.missing;
      const wanted = checkedRequest(dependencies, opened, read.completed);
      const goods = { opened, wanted, named, now: dependencies.now() };
      const customs = await customsOfLabel(dependencies.store, goods).catch((error: unknown) => {
        throw carrierProblem(error, opened, dependencies);
      });
      if (dryRun) return labelAnswer({ status: 'dry-run', expeditionNumber: '', outputs: [] });
      return makeLabel(dependencies, { call, opened, request, wanted, customs, orderId, fingerprint });
    });
  };
  return { action: labelAction, repeatable: true, handle };
}

/** What a request says of its order. */
interface NamedOrder {
  readonly activity: string;
  /** Undefined: it names none. */
  readonly name: string | undefined;
  readonly dryRun: boolean;
}

/** The order of a request. */
interface FoundOrder extends OrderOfLabel {
  /** It is gone: only a label that has begun can be answered. Null: it is there, or none is named. */
  readonly missing: Problem | null;
}

/**
 * The order that a request names. If there is none of this name any more, the request may still be the repetition of
 * one that has begun a label: it is that label's order then, if it had this name.
 * @throws Problem `resource-not-found`, which leaves the key free
 */
async function orderNamed(
  { store }: LabelDependencies,
  call: Call,
  { activity, name, dryRun }: NamedOrder,
): Promise<FoundOrder> {
  try {
    return { ...(await orderOfLabel(store, activity, name)), missing: null };
  } catch (error) {
    if (!(error instanceof Problem) || error.slug !== 'resource-not-found' || name === undefined || dryRun) throw error;
    const orderId = (await begunLabel(store, call, activity))?.orderId ?? null;
    if (orderId === null || !(await wasNameOf(store, activity, name, orderId))) throw error;
    return { orderId, orderUniqueId: null, missing: error };
  }
}

/** The complete request, if neither the account nor the carrier's rules are against it. */
function checkedRequest(
  dependencies: LabelDependencies,
  opened: OpenAccount,
  completed: () => LabelRequest,
): LabelRequest {
  const { carrier, account } = opened;
  try {
    requireSettings(carrier, account, 'labels');
    const wanted = completed();
    const reasons = carrier.check(wanted, account);
    if (reasons.length > 0) throw invalidLabel(errorsByField(reasons, ''));
    return wanted;
  } catch (error) {
    throw carrierProblem(error, opened, dependencies);
  }
}
