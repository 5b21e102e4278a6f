// Declares the goods of parcels to GLS's Customs API 3.3 after ShipIT has created the parcels, and reports the outcome.
import { type CustomsDeclaration, type CustomsLine, goodsCents } from '../../model/customs.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { requestWithToken } from '../access-token.ts';
import {
  type CarrierAccount,
  CarrierError,
  type CarrierOutput,
  type CarrierAnswer,
  type CarrierRequest,
} from '../carrier.ts';
import { type CarrierMessage, messageFacts } from '../carrier-messages.ts';
import { leavesUnion } from '../customs/areas.ts';
import { shortDescription } from '../customs/goods-text.ts';
import { sideOf } from '../customs/rules.ts';
import { type JsonObject, type JsonValue, listAt, parseJson, textAt, withoutEmpty } from '../json.ts';
import { digits, inLinesOf } from '../label-rules.ts';
import { declaresElectronically, maxContactMail, partyLines } from './customs.ts';
import { glsToken, messageIn } from './errors.ts';
import { plain } from './rules.ts';

/** Parcels that exist, and their contents. */
interface MadeParcels {
  readonly account: CarrierAccount;
  readonly request: LabelRequest;
  readonly customs: CustomsDeclaration | undefined;
  /** Track IDs, or parcel numbers if there are none. */
  readonly numbers: readonly string[];
}

/** Above this value an export has a number from customs (MRN), which only a person can fill in. */
const declaredFromCents = 100_000;
const maxGoods = 1000;

/**
 * Declares the goods, if the account says so. The parcels exist by now: any failure is a warning beside their labels,
 * never an error.
 */
export function* declareGoods(made: MadeParcels): Generator<CarrierRequest, readonly CarrierOutput[], CarrierAnswer> {
  const { account, request, customs } = made;
  if (customs === undefined || !declaresElectronically(account, request)) return [];
  const asDraft = account.settings.customsApi === 'draft' || needsNumber(customs, request);
  const body = JSON.stringify(consignmentOf(made, customs, asDraft));
  const secrets = new Set([account.settings.clientSecret ?? '']);
  try {
    const answer = yield* requestWithToken(glsToken(account), (token) => {
      secrets.add(token);
      return {
        method: 'POST',
        url: `${account.settings.baseUrl}/customs-management/export/public/v3/customs-consignments`,
        repeat: 'never',
        headers: { Accept: 'application/json', 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
        body,
      };
    });
    const key = textAt(parseJson(answer.body), 'key');
    if (answer.status < 300 && /^[\x21-\x7e]{1,50}$/.test(key)) return acceptedAs(key, asDraft);
    const isRefused = answer.status >= 400 && answer.status < 500;
    return [warning(isRefused ? refusal : doubt, refusalIn(answer), secrets)];
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error;
    const { acted, carrierCode, carrierMessage, message } = error;
    const said = { code: carrierCode ?? '', text: carrierMessage ?? message };
    return [warning(acted === 'no' ? refusal : doubt, said, secrets)];
  }
}

const portal = 'Enter it in the Customs Portal of GLS by the number of the parcel';
const refusal = `GLS has not taken the declaration of the goods. ${portal}`;
const doubt = `Whether GLS has taken the declaration of the goods is not known. ${portal}, unless it is there`;

/** @param secrets what must not be repeated, even if the carrier repeats it */
function warning(sentence: string, message: CarrierMessage, secrets: ReadonlySet<string>): CarrierOutput {
  const { carrierCode, carrierMessage } = messageFacts(message);
  const said = [...secrets]
    .filter((secret) => secret !== '')
    .reduce(
      (text, secret) => text.replaceAll(secret, '…'),
      [carrierCode, carrierMessage].filter((word) => word !== null).join(': '),
    );
  return { name: 'Warning', kind: 'text', text: said === '' ? `${sentence}.` : `${sentence}. ${said}` };
}

function acceptedAs(key: string, asDraft: boolean): readonly CarrierOutput[] {
  const consignment = { name: 'CustomsConsignment', kind: 'text', text: key } as const;
  const open =
    'The declaration of the goods is a draft: complete it in the Customs Portal of GLS before the parcel goes.';
  return asDraft ? [consignment, { name: 'Warning', kind: 'text', text: open }] : [consignment];
}

/** Problems name the members that are wrong; the gateway gives an error of its own. */
function refusalIn(answer: CarrierAnswer): CarrierMessage {
  const body = parseJson(answer.body);
  const named = listAt(body, 'errors').filter((one) => textAt(one, 'field') !== '');
  if (named.length === 0) return messageIn(body);
  const texts = named.map((one) => `${textAt(one, 'field')}: ${textAt(one, 'message')}`);
  return { code: textAt(named[0], 'code'), text: texts.join('; ') };
}

function needsNumber(customs: CustomsDeclaration, request: LabelRequest): boolean {
  return leavesUnion(sideOf(request, 'exp'), sideOf(request, 'dest')) && goodsCents(customs) > declaredFromCents;
}

/** The members of `CustomsConsignment`; the consignee is left out, since it is the importer. */
function consignmentOf(
  { account, request, numbers }: MadeParcels,
  customs: CustomsDeclaration,
  asDraft: boolean,
): JsonObject {
  const { incoterm = '' } = account.settings;
  return withoutEmpty({
    customerReference: request.nDossier,
    parcelNumbers: [...numbers],
    glsIncotermCode: incoterm,
    isExportDeclarationRequested: false,
    saveAsDraft: asDraft,
    totalGrossWeight: weight(digits(request.weight) ?? 0),
    exporter: withoutEmpty({
      ...partyOf(request, 'exp'),
      eoriNumber: customs.eori,
      taxId: customs.vatNumber,
      vatRegistrationNumber: incoterm === '18' ? customs.ioss : '',
      isCommercial: true,
    }),
    importer: { ...partyOf(request, 'dest'), isCommercial: customs.toCompany },
    invoice: {
      invoiceNumber: customs.invoiceNumber,
      invoiceDate: customs.invoiceDate,
      totalGoodsValue: { amount: goodsCents(customs) / 100, currency: customs.currency },
    },
    lineItems: customs.lines.map(lineOf),
  });
}

function lineOf(line: CustomsLine): JsonObject {
  const { quantity, unitCents, unitGrams, unitGrossGrams } = line;
  return {
    quantity: { amount: quantity, unit: 'PCE' },
    commodityCode: line.hsCode,
    goodsDescription: shortDescription(line.description, maxGoods),
    countryOfOrigin: line.originCountry,
    valueInInvoiceCurrency: (quantity * unitCents) / 100,
    grossWeight: weight(quantity * unitGrossGrams),
    netWeight: weight(quantity * unitGrams),
  };
}

/** At most three decimals. */
function weight(grams: number): JsonObject {
  return { amount: grams / 1000, unit: 'KGM' };
}

function partyOf(request: LabelRequest, side: 'exp' | 'dest'): JsonObject {
  const name = plain(request[`${side}Addr1`]);
  const street = plain(request[`${side}Addr2`]);
  const [street1 = '', street2 = ''] = inLinesOf(street, partyLines) ?? [street];
  const mail = request[`${side}Mail`];
  return {
    address: withoutEmpty({
      name1: name,
      street1,
      street2,
      postcode: plain(request[`${side}Zip`]),
      city1: plain(request[`${side}City`]),
      countryCode: request[`${side}Country`],
    }),
    contactPerson: withoutEmpty({
      name,
      emailAddress: mail.length > maxContactMail ? '' : mail,
      ...telephoneOf(request[`${side}Tel1`]),
    }),
  };
}

/** Calling codes of one and of two digits (ITU-T E.164, list of assigned country codes); all others have three. */
const shortCodes = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/;

/** Splits a telephone number after its country code; one without a country code is sent as it is. */
function telephoneOf(telephone: string): Readonly<Record<string, JsonValue>> {
  const [, international] = /^(?:\+|00)(.+)$/.exec(telephone.replace(/\(0\)/, '').replace(/[^\d+]/g, '')) ?? [];
  if (international === undefined) return { phoneNumber: telephone.replace(/[^\d ]/g, '').trim() };
  const [code] = shortCodes.exec(international) ?? [international.slice(0, 3)];
  return { phoneCountryPrefix: `+${code}`, phoneNumber: international.slice(code.length) };
}
