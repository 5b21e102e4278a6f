// Creates a label: checks the request, and has the label made unless that was done before.
import { hash } from 'node:crypto';
import { requireSettings } from '../../carriers/account-needs.ts';
import type { CallCarrier } from '../../carriers/host.ts';
import type { Answer, AuditedFailure, BodyLimits, Call, Handling } from '../../http/route.ts';
import { readChoice, singleParameters } from '../../model/parameters.ts';
import { Problem } from '../../model/problem.ts';
import type { Store } from '../../store/store.ts';
import { repeatable } from '../../idempotency.ts';
import { type AccountDependencies, accountFinder, type OpenAccount } from '../../shipping/accounts.ts';
import { carrierProblem, errorsByField } from '../../shipping/carrier-problems.ts';
import { labelAction, labelAnswer, knownLabelAnswer } from './label-answers.ts';
import { customsOfLabel } from '../../shipping/customs-of-label.ts';
import type { LabelFileDependencies } from './label-files.ts';
import { invalidLabel, readLabelRequest } from '../../shipping/label-request.ts';
import { makeLabel } from './make-label.ts';
import { orderOfLabel } from '../../shipping/order-of-label.ts';

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
    const { stored, carrier, account } = opened;
    if (carrier.createLabel === null)
      throw new Problem('resource-not-found', `${carrier.title} makes no labels here; it can be asked for tracking.`);
    carrierCheck(dependencies, opened, () => requireSettings(carrier, account, 'labels'));
    const given = singleParameters(call.query, ['orderId', 'dryRun']);
    const dryRun = readChoice('dryRun', given.get('dryRun'), ['true', 'false'], 'false') === 'true';
    const { own, request: wanted } = readLabelRequest(await call.body(), stored.sender, carrier.desk.handover.isReturn);
    const reasons = carrierCheck(dependencies, opened, () => carrier.check(wanted, account));
    if (reasons.length > 0) throw invalidLabel(errorsByField(reasons, ''));
    const named = await orderOfLabel(dependencies.store, stored.activity, given.get('orderId'));
    const { orderId } = named;
    // What the client sent, without the presets, which may change between a request and its repetition.
    const fingerprint = hash('sha256', JSON.stringify([own, orderId]), 'base64url');
    const identity = { fingerprint: () => fingerprint, labelOf: stored.activity };
    return repeatable(dependencies, call, identity, async (request) => {
      if (!dryRun && request.label !== null) return knownLabelAnswer(request.label, fingerprint);
      // An order may change between a request and its repetition, which gets the label nevertheless.
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

/** A carrier's verdict on a request before it is contacted, or the problem in place of its error. */
function carrierCheck<T>(dependencies: LabelDependencies, opened: OpenAccount, check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw carrierProblem(error, opened, dependencies);
  }
}
