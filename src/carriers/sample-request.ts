// A label request that nobody sends, for account tests at carriers that judge requests without making labels.
import { isLabelRequest, type LabelRequest, labelRequestFields } from '../model/shipping.ts';
import { CarrierError, type Conversation, type WireAnswer, type WireRequest } from './carrier.ts';

/** A request of these values, '' for all others. */
export function sampleRequest(values: Partial<LabelRequest>): LabelRequest {
  const empty = Object.fromEntries(Object.keys(labelRequestFields).map((name) => [name, '']));
  if (!isLabelRequest(empty)) throw new Error('a label request is incomplete');
  return { ...empty, ...values };
}

/**
 * What a carrier says of a sample.
 * @returns null where it would take it; its words where it would not, which says that the account was let in
 * @throws CarrierError of every other kind, such as an account that is not let in
 */
export async function* saidOfSample(
  trial: Conversation<string>,
): AsyncGenerator<WireRequest, string | null, WireAnswer> {
  try {
    yield* trial;
    return null;
  } catch (error) {
    if (error instanceof CarrierError && (error.kind === 'invalid' || error.kind === 'refused')) return error.message;
    throw error;
  }
}
