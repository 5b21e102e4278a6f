// Classifies Colissimo's error codes by who must act, with the request field that each is about.
import { type CarrierError, type CarrierErrorKind, reasonAt } from '../carrier.ts';
import { type JsonValue, listAt, textAt } from '../json.ts';
import type { LabelField } from '../../model/shipping.ts';
import { type CarrierMessage, carrierError, noMessage } from '../carrier-messages.ts';

interface Rule {
  readonly from: number;
  readonly to: number;
  readonly kind: CarrierErrorKind;
  readonly field?: LabelField;
  /** In place of the sentence for the kind. */
  readonly sentence?: string;
}

/** Codes on which the operator must act. */
const ofAccount: readonly Rule[] = [
  [943, 948],
  [30000, 30001],
  [30007, 30009],
  [30013, 30013],
  [30018, 30018],
  [30028, 30028],
  // A setting decides what becomes of undeliverable parcels.
  [30323, 30324],
  [30700, 30705],
  [31001, 31001],
  [32001, 32001],
].map(([from = 0, to = 0]) => ({ from, to, kind: 'configuration' }));

/** The deposit date is the day on which the request is sent. */
const wrongDay: Rule = {
  from: 30002,
  to: 30002,
  kind: 'configuration',
  sentence: 'Colissimo takes the day of deposit, which is today, for a day that has passed: the clock here is wrong',
};

/**
 * Codes about a field of the label request. A code missing from the description's table is grouped with its neighbour:
 * 30200 says that the name is missing, so 30201 can only be about the name too.
 */
const ofField: readonly Rule[] = (
  [
    [30014, 30015, 'modeLiv'],
    [30017, 30017, 'crtValue'],
    [30022, 30022, 'expLang'],
    [30023, 30023, 'destLang'],
    [30025, 30026, 'outputFormat'],
    [30027, 30027, 'modeLiv'],
    [30043, 30043, 'expAddr1'],
    [30045, 30046, 'expMail'],
    [30047, 30047, 'expTel1'],
    [30065, 30065, 'expAddr1'],
    // The landline of the sender.
    [30085, 30085, 'expTel1'],
    [30089, 30089, 'destAddr1'],
    [30090, 30090, 'nClient'],
    [30100, 30101, 'expAddr2'],
    [30102, 30103, 'expCountry'],
    [30104, 30105, 'expCity'],
    [30106, 30110, 'expZip'],
    // Name, then first name.
    [30200, 30203, 'destAddr1'],
    [30204, 30205, 'destAddr2'],
    [30206, 30207, 'destCountry'],
    [30208, 30209, 'destCity'],
    [30210, 30214, 'destZip'],
    [30220, 30221, 'destTel1'],
    [30222, 30223, 'destMail'],
    [30300, 30301, 'weight'],
    [30400, 30404, 'shippingPickupPoint'],
    [30900, 30904, 'shippingPickupPoint'],
    [30906, 30908, 'crtValue'],
    [31000, 31000, 'expZip'],
    [40011, 40011, 'destCountry'],
  ] as const satisfies readonly (readonly [from: number, to: number, field: LabelField])[]
).map(([from, to, field]) => ({ from, to, kind: 'invalid', field }));

/**
 * The first rule that fits counts. Codes that no rule has are refusals: Colissimo does not take the shipment as it is.
 */
const rules: readonly Rule[] = [
  { from: 1, to: 1, kind: 'unavailable' },
  { from: 40014, to: 40015, kind: 'unavailable' },
  { from: 40018, to: 40018, kind: 'unavailable' },
  ...ofAccount,
  wrongDay,
  { from: 30321, to: 30321, kind: 'unknown' },
  ...ofField,
  { from: 30600, to: 30600, kind: 'invalid' },
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

/** The error that an answer reports; null if it reports none. Further errors follow the first one's wording. */
export function slsError(info: JsonValue | undefined): CarrierError | null {
  const errors = errorsIn(info);
  const classified = errors.map((error) => ({ ...error, ...ruleOf(error.code) }));
  const kind = precedence.find((one) => classified.some((error) => error.kind === one));
  const first = classified.find((error) => error.kind === kind);
  if (kind === undefined || first === undefined) return null;
  const message: CarrierMessage = {
    code: first.code,
    text: [first, ...classified.filter((error) => error !== first)].map(({ text }) => text).join('; '),
  };
  const reasons = classified.flatMap(({ field, text, code }) =>
    field === undefined
      ? []
      : [reasonAt(field, 'refused', `Colissimo says of ${field}: "${text === '' ? code : text}".`)],
  );
  return carrierError(kind, first.sentence ?? sentences[kind] ?? 'Colissimo says no', message, { reasons });
}

/** The message of an answer, whether it is an error or not. */
export function messageIn(info: JsonValue | undefined): CarrierMessage {
  const [first] = errorsIn(info);
  return first ?? noMessage;
}

function errorsIn(info: JsonValue | undefined): readonly CarrierMessage[] {
  const errors = listAt(info, 'messages').filter((message) => textAt(message, 'type') === 'ERROR');
  return errors.map((error) => ({ code: textAt(error, 'id'), text: textAt(error, 'messageContent') }));
}

function ruleOf(code: string): Pick<Rule, 'kind' | 'field' | 'sentence'> {
  const number = /^\d+$/.test(code) ? Number(code) : Number.NaN;
  return rules.find(({ from, to }) => number >= from && number <= to) ?? { kind: 'refused' };
}
