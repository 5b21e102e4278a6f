// What a form for labels needs to know of a carrier: the fields that are always required, and the values of coded ones.
// It asks the carrier's own rules, so that a form cannot differ from them.
import { type LabelField, labelRequestFields, type LabelRequest } from '../model/shipping.ts';
import type { Reason } from '../model/record.ts';
import { type Carrier, type CarrierAccount, CarrierError } from './carrier.ts';
import { isChoice } from './label-rules.ts';

/** What is known before anything is filled in; the delivery mode may make further fields required. */
interface LabelForm {
  readonly required: readonly LabelField[];
  readonly choices: readonly { readonly field: LabelField; readonly values: readonly string[] }[];
}

const fields = Object.keys(labelRequestFields) as readonly LabelField[];
/** Fields for which a carrier may have a list of values; the carrier itself gives its outputs. */
const coded: readonly LabelField[] = ['modeCol', 'modeLiv', 'apiVersion'];
/** A code that no carrier accepts. */
const noCode = '?';

/** @param sender fields that a request may leave out */
export function labelForm(
  carrier: Pick<Carrier, 'check'>,
  account: CarrierAccount,
  sender: Readonly<Record<string, string>>,
): LabelForm {
  const empty = Object.fromEntries(fields.map((field) => [field, sender[field] ?? ''])) as LabelRequest;
  const asked = { ...empty, ...Object.fromEntries(coded.map((field) => [field, noCode])) };
  const required = reasonsOf(carrier, empty, account).filter(({ code }) => code === 'required');
  return {
    required: [...new Set(required.flatMap(({ pointer }) => fieldOf(pointer)))],
    choices: reasonsOf(carrier, asked, account)
      .filter(isChoice)
      .flatMap(({ pointer, choices }) => fieldOf(pointer).map((field) => ({ field, values: choices })))
      .filter(({ field }) => coded.includes(field)),
  };
}

/** None if the account lacks settings: creating a label reports those. */
function reasonsOf(
  { check }: Pick<Carrier, 'check'>,
  request: LabelRequest,
  account: CarrierAccount,
): readonly Reason[] {
  try {
    return check(request, account);
  } catch (error) {
    if (error instanceof CarrierError) return [];
    throw error;
  }
}

function fieldOf(pointer: string): readonly LabelField[] {
  return fields.filter((field) => pointer === `/${field}`);
}
