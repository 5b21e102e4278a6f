// Labels over HTTP for the shipping desk: the outcome of one, and voiding it.
import { actorOf } from '../http/actor.ts';
import type { Answer, Call } from '../http/route.ts';
import { formatInstant } from '../model/instant.ts';
import { readChoice, singleParameters } from '../model/parameters.ts';
import { Problem } from '../model/problem.ts';
import {
  type AccountDependencies,
  accountFinder,
  createAccountChooser,
  type OpenAccount,
} from '../shipping/accounts.ts';
import { expeditionOf } from '../shipping/parcel-path.ts';
import { type VoidDependencies, voidLabel } from '../shipping/void-label.ts';
import type { LabelVoid } from '../store/label-voids.ts';
import type { StoredLabel } from '../store/labels.ts';
import type { Store } from '../store/store.ts';
import { json } from './feed-lines.ts';

export interface LabelDeskDependencies extends AccountDependencies, Omit<VoidDependencies, 'store'> {
  readonly store: Pick<Store, 'carrierAccounts' | 'labels' | 'labelVoids'>;
}

/**
 * `GET /platform/shippings/labels/{context}/{carrier}/{id}`: the outcome of a label, without its recipient.
 * @throws Problem `resource-not-found`
 */
export function readDeskLabel(dependencies: LabelDeskDependencies): (call: Call) => Promise<Answer> {
  const findAccount = accountFinder(dependencies);
  return async (call) => {
    singleParameters(call.query, []);
    const { label } = await labelOf(dependencies, findAccount, call);
    return json(publishedLabel(label, await dependencies.store.labelVoids.find(label)));
  };
}

/**
 * `POST /platform/shippings/labels/{context}/{carrier}/{id}/void`.
 * @throws Problem those of `voidLabel`
 */
export function voidDeskLabel(dependencies: LabelDeskDependencies): (call: Call) => Promise<Answer> {
  const findAccount = accountFinder(dependencies);
  const findAsker = createAccountChooser(dependencies);
  const { store } = dependencies;
  return async (call) => {
    const given = singleParameters(call.query, ['unused']);
    const unused = readChoice('unused', given.get('unused'), ['true', 'false'], 'false') === 'true';
    const { label, opened } = await labelOf(dependencies, findAccount, call);
    const { principal, address } = call;
    await voidLabel(dependencies, {
      label,
      opened: await findAsker(opened, label, 'labels'),
      unused,
      audit: {
        ...actorOf(principal),
        operationId: null,
        address,
      },
    });
    return json(publishedLabel({ ...label, state: 'voided' }, await store.labelVoids.find(label)));
  };
}

async function labelOf(
  { store }: LabelDeskDependencies,
  findAccount: (call: Call) => Promise<OpenAccount>,
  call: Call,
): Promise<{ readonly label: StoredLabel; readonly opened: OpenAccount }> {
  const opened = await findAccount(call);
  const label = await store.labels.find(opened.stored, expeditionOf(call));
  if (label === null || label.state === 'fetched')
    throw new Problem('resource-not-found', 'There is no label with this number in this activity that was made here.');
  return { label, opened };
}

function publishedLabel(label: StoredLabel, found: LabelVoid | null): Readonly<Record<string, unknown>> {
  const { id, activity, context, carrier, expeditionNumber, state, nDossier, orderId, createdAt } = label;
  return {
    labelId: id,
    activityCode: activity,
    context,
    carrier,
    expeditionNumber,
    state,
    nDossier,
    orderId,
    createdAt: formatInstant(createdAt),
    void:
      found === null
        ? null
        : {
            state: found.state,
            detail: found.detail,
            askedAt: formatInstant(found.askedAt),
            endedAt: found.endedAt === null ? null : formatInstant(found.endedAt),
            voidedParcels: found.voidedParcels,
          },
  };
}
