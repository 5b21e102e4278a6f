// Pick-up points, and trials of label requests, over HTTP for the shipping desk.
import type { Answer, BodyLimits, Call } from '../http/route.ts';
import { singleParameters } from '../model/parameters.ts';
import { type AccountDependencies, accountFinder } from '../shipping/accounts.ts';
import { pointFinder, type PointDependencies } from '../shipping/find-points.ts';
import { readLabelRequest } from '../shipping/label-request.ts';
import { pointParameterNames, readPointQuery } from '../shipping/point-query.ts';
import { type TrialDependencies, tryLabel } from '../shipping/try-label.ts';
import type { Store } from '../store/store.ts';
import { json } from './feed-lines.ts';

type PointDeskDependencies = AccountDependencies &
  PointDependencies &
  TrialDependencies & { readonly store: Pick<Store, 'carrierAccounts' | 'lists'> };

/**
 * `GET /platform/shippings/points/{context}/{carrier}`: points near an address.
 * @throws Problem `invalid-parameter`, and those of `pointFinder`
 */
export function listPoints(dependencies: PointDeskDependencies): (call: Call) => Promise<Answer> {
  const findAccount = accountFinder(dependencies);
  const findPoints = pointFinder(dependencies);
  return async (call) => {
    const { query, limit } = readPointQuery(singleParameters(call.query, pointParameterNames));
    return json({ points: await findPoints(await findAccount(call), query, limit) });
  };
}

/** Body limits of a trial: the same as for making a label (decision D42). */
export const trialBody: BodyLimits = {
  types: ['application/json', 'text/json', 'application/*+json'],
  limit: 65_536,
  encodings: [],
};

/**
 * `POST /platform/shippings/dry-runs/{context}/{carrier}`: whether the request would produce a label.
 * @throws Problem `malformed-json`, and those of `readLabelRequest` and `tryLabel`
 */
export function tryDeskLabel(dependencies: PointDeskDependencies): (call: Call) => Promise<Answer> {
  const findAccount = accountFinder(dependencies);
  return async (call) => {
    const orderId = singleParameters(call.query, ['orderId']).get('orderId');
    const opened = await findAccount(call);
    const { isReturn } = opened.carrier.desk.handover;
    const request = readLabelRequest(await call.body(), opened.stored.sender, isReturn).completed();
    return json({ ...(await tryLabel(dependencies, opened, { request, orderId })) });
  };
}
