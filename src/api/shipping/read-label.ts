// Gives a label again: what was stored when it was made, else what the carrier still knows of it.
import type { Answer, Call, Route } from '../../http/route.ts';
import { CarrierError } from '../../carriers/carrier.ts';
import { singleParameters } from '../../model/parameters.ts';
import { Problem } from '../../model/problem.ts';
import type { LabelResult } from '../../model/shipping.ts';
import { findLabel, type StoredLabel } from '../../store/labels.ts';
import { accountFinder, accountParameters, type OpenAccount } from './accounts.ts';
import { carrierProblem } from './carrier-problems.ts';
import type { LabelDependencies } from './create-label.ts';
import { expeditionParameter, expeditionOf, parcelTask } from './parcels.ts';
import { labelExample } from './schemas.ts';
import { publishOutputs } from './label-files.ts';

/** `GET /shippings/labels/{context}/{carrier}/{id}` (interface 4.13; decision D28). */
export function readLabelRoute(dependencies: LabelDependencies): Route {
  return {
    method: 'GET', path: '/shippings/labels/{context}/{carrier}/{id}', operationId: 'getLabel', summary: 'Fetch a label', access: 'token', rate: 'read', listOf: null,
    description: 'The label with this expedition number (clause 4.13), as it was answered when it was made. When its files are no longer kept, `outputs` is empty. Labels that were not made here are asked for at the carrier, where it can be asked.',
    produces: ['application/json', 'text/json', 'text/plain'],
    parameters: [...accountParameters, expeditionParameter],
    answers: { schema: 'LabelResult', example: labelExample },
    refusals: { 502: ['carrier-unavailable'], 504: ['carrier-timeout'] },
    handle: readLabel(dependencies),
  };
}

/**
 * Makes the handler.
 * @returns handler that throws Problem `resource-not-found`, `carrier-unavailable`, `carrier-timeout`
 */
export function readLabel(dependencies: LabelDependencies): (call: Call) => Promise<Answer> {
  const findAccount = accountFinder(dependencies);
  return async (call) => {
    singleParameters(call.query, []);
    const opened = await findAccount(call);
    const number = expeditionOf(call);
    const label = await findLabel(dependencies.store.db, opened.stored.owner, opened.stored.id, number);
    const body = label?.result == null ? JSON.stringify(await fetched(dependencies, opened, number)) : storedText(dependencies, label, label.result);
    return { status: 200, headers: { 'Cache-Control': 'no-store' }, body, type: null };
  };
}

function storedText({ labelRetentionDays, now }: LabelDependencies, label: StoredLabel, result: string): string {
  if (label.createdAt + labelRetentionDays * 86_400_000 > now()) return result;
  return JSON.stringify({ status: '0', expeditionNumber: label.expeditionNumber ?? '', outputs: [] } satisfies LabelResult);
}

async function fetched(dependencies: LabelDependencies, opened: OpenAccount, number: string): Promise<LabelResult> {
  const { carrier, account, stored } = opened;
  if (carrier.fetchLabel === null) throw new Problem('resource-not-found', 'There is no label with this number in this context.');
  try {
    const label = await dependencies.converse(carrier.fetchLabel(parcelTask(account, number, null, dependencies.now())), carrier.origins(account));
    const { outputs } = await publishOutputs(dependencies, stored.owner, label.expeditionNumber, label.outputs, Object.keys(carrier.outputs));
    return { status: '0', expeditionNumber: label.expeditionNumber, outputs };
  } catch (error) {
    throw error instanceof CarrierError ? carrierProblem(error) : error;
  }
}
