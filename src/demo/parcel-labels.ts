// Stores the labels that the warehouse got from the sandbox carrier, so that their parcels can be tracked.
import { createHash } from 'node:crypto';
import type { NewLabel } from '../store/labels.ts';
import type { Store } from '../store/store.ts';
import type { ParcelLabel } from './messages.ts';

/** Labels per transaction. */
const batchLabels = 500;

/**
 * Stores labels; storing them again changes nothing.
 * @param onProgress receives the number stored; if it throws, the work ends
 */
export async function storeLabels(
  store: Pick<Store, 'carrierAccounts' | 'records'>,
  activity: string,
  labels: readonly ParcelLabel[],
  onProgress: (stored: number) => void = () => undefined,
): Promise<void> {
  const context = activity.toLowerCase();
  const account = await store.carrierAccounts.find([activity], context, 'sandbox');
  // An operator may have removed the account: then there is nothing to track.
  if (account === null) return;
  for (let from = 0; from < labels.length; from += batchLabels) {
    const rows = labels
      .slice(from, from + batchLabels)
      .map((label) => storedLabel({ context, accountId: account.id }, label));
    await store.records.submit([], (unit) => unit.addLabels(activity, rows));
    onProgress(from + rows.length);
  }
}

type LabelAccount = Pick<NewLabel, 'context' | 'accountId'>;

function storedLabel(account: LabelAccount, { number, request, createdAt }: ParcelLabel): Omit<NewLabel, 'activity'> {
  return {
    ...account,
    id: idOf(number),
    carrier: 'sandbox',
    expeditionNumber: number,
    state: 'made',
    fingerprint: '',
    nDossier: request.nDossier,
    request: JSON.stringify(request),
    operationId: idOf(`operation ${number}`),
    clientId: 'demonstration',
    createdAt,
  };
}

/** A UUID (version 8, RFC 9562) derived from a text. */
function idOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 3) | 8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
