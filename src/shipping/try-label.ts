// Tries a label request: against the rules that are known here, then against the carrier itself if it can check a
// request without making a label.
import { requireSettings } from '../carriers/account-needs.ts';
import { isSupported } from '../carriers/desk.ts';
import type { CallCarrier } from '../carriers/host.ts';
import { Problem } from '../model/problem.ts';
import type { LabelRequest } from '../model/shipping.ts';
import type { Store } from '../store/store.ts';
import type { AccountDependencies, OpenAccount } from './accounts.ts';
import { carrierProblem, errorsByField } from './carrier-problems.ts';
import { customsOfLabel } from './customs-of-label.ts';
import { invalidLabel } from './label-request.ts';
import { orderOfLabel } from './order-of-label.ts';

export interface TrialDependencies extends Pick<AccountDependencies, 'onFault'> {
  readonly store: Pick<Store, 'lists' | 'labels'>;
  readonly callCarrier: CallCarrier;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** How an acceptable request was tried. */
interface Trial {
  /** `service`: only against the rules of this service; the carrier may still refuse it. */
  readonly judgedBy: 'carrier' | 'service';
  readonly detail: string;
}

/** The request to try. */
interface TrialRequest {
  readonly request: LabelRequest;
  /** `id` or `orderUniqueID` of the order from which goods are declared; undefined: none is named. */
  readonly orderId: string | undefined;
}

/**
 * Tries a request without making a label.
 * @throws Problem the one that making the label would cause: `validation-failed` with the fields, `carrier-rejected`,
 *   `carrier-unavailable`, `carrier-timeout`; `resource-not-found` when the carrier makes no labels
 */
export async function tryLabel(
  dependencies: TrialDependencies,
  opened: OpenAccount,
  { request, orderId }: TrialRequest,
): Promise<Trial> {
  const { carrier, account, stored } = opened;
  const { dryRun } = carrier.desk;
  if (carrier.createLabel === null) throw new Problem('resource-not-found', `${carrier.title} makes no labels here.`);
  try {
    requireSettings(carrier, account, 'labels');
    const reasons = carrier.check(request, account);
    if (reasons.length > 0) throw invalidLabel(errorsByField(reasons, ''));
    const now = dependencies.now();
    const named = await orderOfLabel(dependencies.store, stored.activity, orderId);
    const customs = await customsOfLabel(dependencies.store, { opened, wanted: request, named, now });
    if (!isSupported(dryRun)) return { judgedBy: 'service', detail: dryRun.instead };
    const task = { account, request, ...(customs !== null && { customs }), now };
    return {
      judgedBy: 'carrier',
      detail: await dependencies.callCarrier(dryRun(task), carrier.origins(account)),
    };
  } catch (error) {
    throw carrierProblem(error, opened, dependencies);
  }
}
