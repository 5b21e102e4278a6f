// The carrier accounts that a client may ship with, and what a form for their labels needs to know.
import { capabilitiesOf } from '../../carriers/capabilities.ts';
import { labelForm } from '../../carriers/label-form.ts';
import type { Answer, Call, Handling } from '../../http/route.ts';
import { singleParameters } from '../../model/parameters.ts';
import { type AccountDependencies, completeAccount } from '../../shipping/accounts.ts';
import type { StoredCarrierAccount } from '../../store/carrier-accounts.ts';

/**
 * `GET /shippings/accounts`: every account of the client's activities, by context and carrier, without its settings.
 * @returns handler that throws Problem `unknown-parameter`
 */
export function listShippingAccounts({ store, loadCarrier }: AccountDependencies): Handling {
  const handle = async (call: Call): Promise<Answer> => {
    singleParameters(call.query, []);
    const accounts = await store.carrierAccounts.ofActivities(call.principal.activityCodes);
    const told = await Promise.all(accounts.map((account) => published(account, loadCarrier)));
    const body = JSON.stringify(told.flat());
    return { status: 200, headers: { 'cache-control': 'no-store' }, body, type: null };
  };
  return { handle };
}

/** None when the program does not support the carrier. */
async function published(
  { activity, context, carrier: name, settings, sender }: StoredCarrierAccount,
  loadCarrier: AccountDependencies['loadCarrier'],
): Promise<readonly object[]> {
  const carrier = await loadCarrier(name);
  if (carrier === null) return [];
  const { required, choices } = labelForm(carrier, completeAccount(carrier, settings), sender);
  const offers = capabilitiesOf(carrier);
  const can = (capability: string): boolean => offers.some(({ name, offered }) => name === capability && offered);
  return [
    {
      ...{ activityCode: activity, context, carrier: name, carrierName: carrier.title },
      ...{ makesLabels: can('labels'), tracksParcels: can('tracking') },
      outputs: Object.entries(carrier.outputs).map(([outputType, outputFormats]) => ({ outputType, outputFormats })),
      requiredFields: required,
      presetFields: Object.keys(sender).filter((field) => sender[field] !== ''),
      choices,
    },
  ];
}
