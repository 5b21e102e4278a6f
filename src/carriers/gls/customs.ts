// What GLS requires if goods are declared: its incoterm code with the shipment, an invoice on paper, and the mandatory
// members of its Customs API.
import type { LabelRequest } from '../../model/shipping.ts';
import { amountText, type CustomsDeclaration, goodsGrossGrams } from '../../model/customs.ts';
import type { Reason } from '../../model/record.ts';
import { type CarrierAccount, CarrierError } from '../carrier.ts';
import { shortDescription } from '../customs/goods-text.ts';
import { type CarrierCustoms, insuredFor } from '../customs/rules.ts';
import type { JsonObject } from '../json.ts';
import { digits, linesOf, maxLength, required, unless } from '../label-rules.ts';
import { isReturn, plain } from './rules.ts';

const maxContent = 255;

/** Lengths of a party's street and second line in the Customs API. */
export const partyLines: readonly number[] = [50, 50];
/** Maximum length of an e-mail address in the Customs API, shorter than in ShipIT. */
export const maxContactMail = 50;

/**
 * Whether the goods are declared to the Customs API. Those of a return are not: it accepts only exporters in the
 * account's country.
 */
export function declaresElectronically({ settings }: CarrierAccount, request: LabelRequest): boolean {
  return settings.customsApi !== 'no' && !isReturn(request);
}

export const glsCustoms = {
  // As many as fit on an invoice of a few pages; GLS receives none of them.
  maxLines: 99,
  paper: 'invoice',
  insurance: {},
  check: (customs, request, account) => {
    if (account.settings.incoterm === '')
      throw new CarrierError(
        'configuration',
        'The account has no incoterm code of GLS (setting incoterm), without which goods do not pass customs.',
      );
    return declaresElectronically(account, request) ? consignmentReasons(customs, request, account) : [];
  },
} as const satisfies CarrierCustoms;

/**
 * What the Customs API does not accept, by GLS's description 3.3.0 (`CustomsConsignment`).
 * @throws CarrierError `configuration` if the incoterm needs a number that the account does not have
 */
function consignmentReasons(
  customs: CustomsDeclaration,
  request: LabelRequest,
  { settings }: CarrierAccount,
): readonly Reason[] {
  if (settings.incoterm === '18' && settings.ioss === '')
    throw new CarrierError(
      'configuration',
      'The incoterm 18 of GLS is that of an IOSS number, and the account has none (setting ioss).',
    );
  const gross = goodsGrossGrams(customs);
  return [
    ...partyReasons(request, 'exp'),
    ...partyReasons(request, 'dest'),
    ...customs.lines.filter(({ hsCode }) => hsCode.length !== 8).map(codeReason),
    ...currencyReasons(customs, settings.incoterm ?? ''),
    ...unless(
      gross <= (digits(request.weight) ?? gross),
      'weight',
      'out-of-range',
      `The pieces of the order weigh ${gross} g with their own packaging, more than weight says.`,
    ),
  ];
}

/**
 * Name, street, and a contact with an e-mail address or a telephone number; ShipIT does not require them of the sender.
 */
function partyReasons(request: LabelRequest, side: 'exp' | 'dest'): readonly Reason[] {
  const [street, mail] = [`${side}Addr2`, `${side}Mail`] as const;
  const isReachable = request[`${side}Tel1`] !== '' || (request[mail] !== '' && request[mail].length <= maxContactMail);
  return [
    ...maxLength(request, `${side}Addr1`, 50),
    ...required(request, street, 'the street, for the declaration to customs'),
    ...linesOf(street, plain(request[street]), partyLines),
    ...maxLength(request, `${side}City`, 50),
    ...unless(
      isReachable,
      mail,
      'required',
      `${mail} of up to ${maxContactMail} characters or ${side}Tel1 is needed: GLS wants a contact for customs.`,
    ),
  ];
}

function codeReason({ pointer }: { readonly pointer: string }): Reason {
  return {
    code: 'wrong-format',
    pointer: `${pointer}/articleCN23CustomsCode`,
    detail: 'articleCN23CustomsCode must have 8 digits for GLS, those of the Combined Nomenclature, such as 61091000.',
  };
}

/** The procedures for low values and IOSS. */
const lowValueTerms: readonly string[] = ['18', '50'];
const lowValueCurrencies = 'EUR CHF CNY JPY CAD AUD SEK INR GBP PLN NOK USD'.split(' ');

function currencyReasons({ currency }: CustomsDeclaration, term: string): readonly Reason[] {
  return !lowValueTerms.includes(term) || lowValueCurrencies.includes(currency)
    ? []
    : [
        {
          code: 'not-offered',
          pointer: '/orderId/paymentCurrency',
          detail: `paymentCurrency must be one of ${lowValueCurrencies.join(', ')} with the incoterm ${term} of GLS.`,
        },
      ];
}

/** The service AddonLiability of the only parcel: an insured shipment has just one. */
export function insuranceService(
  request: LabelRequest,
  customs: CustomsDeclaration | undefined,
): readonly JsonObject[] {
  const insured = insuredFor(customs, glsCustoms.insurance, request);
  if (customs === undefined || insured === 0) return [];
  const [first] = customs.lines;
  return [
    {
      AddonLiability: {
        ServiceName: 'service_addonliability',
        Amount: amountText(insured),
        Currency: customs.currency,
        ParcelContent: shortDescription(plain(first?.description ?? ''), maxContent),
      },
    },
  ];
}
