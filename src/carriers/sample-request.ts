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
 * What a carrier says about a sample.
 * @returns null if it would accept it; otherwise its words, which show that the account works
 * @throws CarrierError of every other kind, such as refused credentials
 */
export async function* saidOfSample(
  trial: CarrierExchange<string>,
): AsyncGenerator<CarrierRequest, string | null, CarrierAnswer> {
  try {
    yield* trial;
    return null;
  } catch (error) {
    if (error instanceof CarrierError && (error.kind === 'invalid' || error.kind === 'refused')) return error.message;
    throw error;
  }
}
