// A label request that is never sent for real, for account tests at carriers that judge requests without creating
// labels.
import { isLabelRequest, type LabelRequest, labelRequestFields } from '../model/shipping.ts';
import { CarrierError, type CarrierExchange, type CarrierAnswer, type CarrierRequest } from './carrier.ts';

/** A request of these values, '' for all others. */
export function sampleRequest(values: Partial<LabelRequest>): LabelRequest {
  const empty = Object.fromEntries(Object.keys(labelRequestFields).map((name) => [name, '']));
  if (!isLabelRequest(empty)) throw new Error('a label request is incomplete');
  return { ...empty, ...values };
}

/**
 * Tests an account by a dry run of a sample: any answer that is not about the account shows that the account works.
 * @param works says that it does, without a full stop
 * @param parcel what the sample is, such as `a parcel to Germany`
 * @throws CarrierError about the account, such as refused credentials
 */
export async function* probeBySample(
  trial: CarrierExchange<string>,
  works: string,
  parcel: string,
): AsyncGenerator<CarrierRequest, string, CarrierAnswer> {
  try {
    yield* trial;
    return `${works}, and would make a label of ${parcel}.`;
  } catch (error) {
    if (!(error instanceof CarrierError) || (error.kind !== 'invalid' && error.kind !== 'refused')) throw error;
    return `${works}. It would not make a label of ${parcel}: ${error.message}`;
  }
}
