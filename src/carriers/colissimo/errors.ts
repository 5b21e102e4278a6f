// Colissimo's error codes, by who must act, and the field of the request that each is about.
import { type CarrierError, type CarrierErrorKind, reasonAt } from '../carrier.ts';
import { type JsonValue, listAt, textAt } from '../json.ts';
import type { LabelField } from '../../model/shipping.ts';
import { type CarrierMessage, carrierError, noMessage } from '../carrier-messages.ts';

interface Rule {
  readonly from: number;
  readonly to: number;
  readonly kind: CarrierErrorKind;
  readonly field?: LabelField;
}

/**
 * The first rule that fits counts. Codes that no rule has are refusals: Colissimo does not take the shipment as it is.
 */
const rules: readonly Rule[] = [
  { from: 1, to: 1, kind: 'unavailable' },
  { from: 943, to: 948, kind: 'configuration' },
  { from: 30000, to: 30001, kind: 'configuration' },
  { from: 30002, to: 30002, kind: 'configuration' },
  { from: 30007, to: 30009, kind: 'configuration' },
  { from: 30013, to: 30013, kind: 'configuration' },
  { from: 30018, to: 30018, kind: 'configuration' },
  { from: 30028, to: 30028, kind: 'configuration' },
  { from: 30700, to: 30705, kind: 'configuration' },
  { from: 31001, to: 31001, kind: 'configuration' },
  { from: 32001, to: 32001, kind: 'configuration' },
  { from: 40014, to: 40015, kind: 'unavailable' },
  { from: 40018, to: 40018, kind: 'unavailable' },
  { from: 30321, to: 30321, kind: 'unknown' },
  { from: 30014, to: 30015, kind: 'invalid', field: 'modeLiv' },
  { from: 30027, to: 30027, kind: 'invalid', field: 'modeLiv' },
  { from: 30017, to: 30017, kind: 'invalid', field: 'crtValue' },
  { from: 30906, to: 30908, kind: 'invalid', field: 'crtValue' },
  { from: 30022, to: 30022, kind: 'invalid', field: 'expLang' },
  { from: 30023, to: 30023, kind: 'invalid', field: 'destLang' },
  { from: 30025, to: 30026, kind: 'invalid', field: 'outputFormat' },
  { from: 30043, to: 30043, kind: 'invalid', field: 'expAddr1' },
  { from: 30065, to: 30065, kind: 'invalid', field: 'expAddr1' },
  { from: 30045, to: 30046, kind: 'invalid', field: 'expMail' },
  { from: 30047, to: 30047, kind: 'invalid', field: 'expTel1' },
  { from: 30085, to: 30085, kind: 'invalid', field: 'destTel1' },
  { from: 30089, to: 30089, kind: 'invalid', field: 'destAddr1' },
  { from: 30090, to: 30090, kind: 'invalid', field: 'nClient' },
  { from: 30100, to: 30100, kind: 'invalid', field: 'expAddr2' },
  { from: 30102, to: 30103, kind: 'invalid', field: 'expCountry' },
  { from: 30104, to: 30104, kind: 'invalid', field: 'expCity' },
  { from: 30106, to: 30110, kind: 'invalid', field: 'expZip' },
  { from: 31000, to: 31000, kind: 'invalid', field: 'expZip' },
  { from: 30213, to: 30213, kind: 'invalid', field: 'destZip' },
  { from: 30200, to: 30214, kind: 'invalid' },
  { from: 30220, to: 30221, kind: 'invalid', field: 'destTel1' },
  { from: 30222, to: 30223, kind: 'invalid', field: 'destMail' },
  { from: 30300, to: 30301, kind: 'invalid', field: 'weight' },
  { from: 30400, to: 30404, kind: 'invalid', field: 'shippingPickupPoint' },
  { from: 30600, to: 30600, kind: 'invalid' },
  { from: 40011, to: 40011, kind: 'invalid', field: 'destCountry' },
];

/** Whoever can act first decides: while the account is wrong, nothing that the client does helps. */
const precedence: readonly CarrierErrorKind[] = ['configuration', 'unavailable', 'unknown', 'refused', 'invalid'];

const sentences: Readonly<Partial<Record<CarrierErrorKind, string>>> = {
  configuration: 'Colissimo does not accept what this account is set up for',
  unavailable: 'Colissimo cannot do it at the moment',
  unknown: 'Colissimo knows no such parcel',
  refused: 'Colissimo refuses the shipment',
  invalid: 'Colissimo finds the shipment wrong',
};

/**
 * The error that an answer tells of; null where it tells of none. Further errors stand behind the first one's wording.
 */
export function slsError(info: JsonValue | undefined): CarrierError | null {
  const errors = errorsIn(info);
  const judged = errors.map((error) => ({ ...error, ...ruleOf(error.code) }));
  const kind = precedence.find((one) => judged.some((error) => error.kind === one));
  const first = judged.find((error) => error.kind === kind);
  if (kind === undefined || first === undefined) return null;
  const message: CarrierMessage = {
    code: first.code,
    text: [first, ...judged.filter((error) => error !== first)].map(({ text }) => text).join('; '),
  };
  const reasons = judged.flatMap(({ field, text, code }) =>
    field === undefined
      ? []
      : [reasonAt(field, 'refused', `Colissimo says of ${field}: "${text === '' ? code : text}".`)],
  );
  return carrierError(kind, sentences[kind] ?? 'Colissimo says no', message, { reasons });
}

/** What an answer says, whether it is an error or not. */
export function messageIn(info: JsonValue | undefined): CarrierMessage {
  const [first] = errorsIn(info);
  return first ?? noMessage;
}

function errorsIn(info: JsonValue | undefined): readonly CarrierMessage[] {
  const errors = listAt(info, 'messages').filter((message) => textAt(message, 'type') === 'ERROR');
  return errors.map((error) => ({ code: textAt(error, 'id'), text: textAt(error, 'messageContent') }));
}

function ruleOf(code: string): { readonly kind: CarrierErrorKind; readonly field?: LabelField } {
  const number = /^\d+$/.test(code) ? Number(code) : Number.NaN;
  return rules.find(({ from, to }) => number >= from && number <= to) ?? { kind: 'refused' };
}
