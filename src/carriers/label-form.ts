// What a form for labels has to know of a carrier: the fields that it always needs, and what coded ones may say. It is
// found by asking the carrier's own rules, so that a form cannot differ from them.
import { type LabelField, labelRequestFields, type LabelRequest } from '../model/shipping.ts';
import type { Reason } from '../model/record.ts';
import { type Carrier, type CarrierAccount, CarrierError } from './carrier.ts';
import { isChoice } from './label-rules.ts';

/** What is known before anything is filled in; how a parcel is delivered may make further fields needed. */
interface LabelForm {
  readonly required: readonly LabelField[];
  readonly choices: readonly { readonly field: LabelField; readonly values: readonly string[] }[];
}

const fields = Object.keys(labelRequestFields) as readonly LabelField[];
/** Fields whose values a carrier may have a list of; outputs are told by the carrier itself. */
const coded: readonly LabelField[] = ['modeCol', 'modeLiv', 'apiVersion'];
/** What no carrier takes for a code. */
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

/** None of an account that lacks settings: a label says what is wrong with it. */
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
