// Labels of Colissimo: one call for each parcel, a reprint by its number, all through the label service SLS.
import { textBlock } from '../../model/text-block.ts';
import {
  type CarrierAccount,
  CarrierError,
  type CarrierLabel,
  type CarrierOutput,
  type LabelTask,
  type ParcelTask,
  type WireAnswer,
  type WireRequest,
} from '../carrier.ts';
import { type JsonObject, textAt, withoutEmpty } from '../json.ts';
import { labelOutput, parcelNumbers } from '../label-outputs.ts';
import { cashOf, outputOf, parcelWeights } from '../label-rules.ts';
import { parisTime } from '../paris-time.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { parcelIn, slsAnswer, type SlsAnswer, title } from './answers.ts';
import { type PointAddress, pointOf } from './points.ts';
import { colissimoOutputs } from './rules.ts';
import { recipientOf, senderOf } from './address.ts';
import { unreadable, afterCreation } from '../carrier-messages.ts';

type Talk<T> = AsyncGenerator<WireRequest, T, WireAnswer>;

/** The number of no parcel, to ask for without a consequence. */
const noParcel = '6A00000000000';

/** Makes a label for each parcel, to be handed in today; the first parcel's number stands for all of them. */
export async function* createLabel({ account, request, now }: LabelTask): Talk<CarrierLabel> {
  requireAccess(account);
  const version = request.apiVersion || account.settings.version;
  const point = yield* pointOf(account, request, now);
  const numbers: string[] = [];
  const outputs: CarrierOutput[] = [];
  for (const grams of parcelWeights(request)) {
    try {
      const answer = await slsAnswer(
        yield sls(account, `${version}/generateLabel`, orderOf(request, account, { grams, point, now }), 'never'),
      );
      const { number, partner } = parcelOf(answer);
      numbers.push(number);
      outputs.push(...documentsOf(answer, outputOf(request, colissimoOutputs).type), ...partner);
    } catch (error) {
      throw afterCreation(error, title, numbers);
    }
  }
  return { expeditionNumber: numbers[0] ?? '', outputs: [...outputs, ...parcelNumbers(numbers)] };
}

/** Prints a label again, in the format that it was asked for. Customs declarations are not printed again. */
export async function* fetchLabel({ account, expeditionNumber, label }: ParcelTask): Talk<CarrierLabel> {
  requireAccess(account);
  const { type, format } =
    label === null ? { type: 'PdfUrl', format: '10x15' } : outputOf(label.request, colissimoOutputs);
  const answer = await slsAnswer(
    yield sls(
      account,
      '3.1/getLabel',
      { parcelNumber: expeditionNumber, outputPrintingType: printingType(type, format) },
      'safe',
    ),
  );
  return { expeditionNumber, outputs: documentsOf(answer, type) };
}

/**
 * Asks for the label of a parcel that does not exist: any other answer than one about the account shows that the
 * account works.
 */
export async function* probeLabels(account: CarrierAccount): Talk<string> {
  requireAccess(account);
  const answer = yield sls(
    account,
    '3.1/getLabel',
    { parcelNumber: noParcel, outputPrintingType: 'PDF_10x15_300dpi' },
    'safe',
  );
  try {
    await slsAnswer(answer);
  } catch (error) {
    if (
      !(error instanceof CarrierError) ||
      error.carrierCode === null ||
      error.kind === 'configuration' ||
      error.kind === 'unavailable'
    )
      throw error;
  }
  return 'Colissimo accepts the credentials of this account.';
}

/** Whether the account has what labels need. */
export function hasAccess({ settings: { apiKey, contractNumber, password } }: CarrierAccount): boolean {
  return Boolean(apiKey || (contractNumber && password));
}

function requireAccess(account: CarrierAccount): void {
  if (hasAccess(account)) return;
  throw new CarrierError(
    'configuration',
    textBlock`
      The account has neither an API key nor a contract number with its password (settings apiKey, contractNumber,
      password).
    `,
  );
}

/**
 * The key goes into a header; contract and password, where there is no key, into the body of a label and the headers of
 * a reprint.
 */
function sls({ settings }: CarrierAccount, path: string, body: JsonObject, repeat: 'safe' | 'never'): WireRequest {
  const { baseUrl, environment, apiKey = '', contractNumber = '', password = '' } = settings;
  const isReprint = path.endsWith('getLabel');
  const access = apiKey !== '' ? { apiKey } : isReprint ? { login: contractNumber, password } : {};
  const inBody = apiKey === '' && !isReprint ? { contractNumber, password } : {};
  return {
    method: 'POST',
    repeat,
    url: `${baseUrl}${environment === 'test' ? '/sandbox' : ''}/sls-ws/SlsServiceWSRest/${path}`,
    headers: {
      Accept: 'multipart/mixed, multipart/related, application/json',
      'Content-Type': 'application/json',
      ...access,
    },
    body: JSON.stringify({ ...inBody, ...body }),
  };
}

interface Parcel {
  readonly grams: number;
  readonly point: PointAddress | null;
  readonly now: number;
}

function orderOf(request: LabelRequest, { settings }: CarrierAccount, { grams, point, now }: Parcel): JsonObject {
  const { type, format } = outputOf(request, colissimoOutputs);
  const cash = cashOf(request) > 0 ? { cod: true, codamount: cashOf(request) } : {};
  return withoutEmpty({
    outputFormat: { x: 0, y: 0, outputPrintingType: printingType(type, format) },
    letter: withoutEmpty({
      service: withoutEmpty({
        productCode: request.modeLiv,
        depositDate: parisTime(now).date,
        orderNumber: request.nDossier,
        commercialName: settings.commercialName || request.expAddr1,
        returnTypeChoice: Number(settings.returnTypeChoice),
      }),
      parcel: withoutEmpty({
        weight: kilograms(grams),
        pickupLocationId: request.shippingPickupPoint,
        instructions: request.instruction,
        ...cash,
      }),
      sender: withoutEmpty({ senderParcelRef: request.nDossier, address: senderOf(request) }),
      addressee: withoutEmpty({ addresseeParcelRef: request.nClient, address: recipientOf(request, point) }),
    }),
    fields: settings.accountNumber ? { field: [{ key: 'ACCOUNT_NUMBER', value: settings.accountNumber }] } : undefined,
  });
}

/** Kilograms with two decimals at most, which is all that Colissimo takes (30301); begun tens of grams count whole. */
function kilograms(grams: number): number {
  return Math.ceil(grams / 10) / 100;
}

/** `ZPL_10x15_203dpi` for `ZplCode` and `10x15`. */
function printingType(type: string, format: string): string {
  const [size, density = type === 'PdfUrl' ? '300dpi' : '203dpi'] = format.split('_');
  return `${type.slice(0, 3).toUpperCase()}_${size}_${density}`;
}

function parcelOf({ info }: SlsAnswer): { readonly number: string; readonly partner: readonly CarrierOutput[] } {
  const parcel = parcelIn(info);
  const number = textAt(parcel, 'parcelNumber');
  if (number === '') throw unreadable(title, 'no parcel number');
  const text = textAt(parcel, 'parcelNumberPartner');
  return { number, partner: text === '' ? [] : [{ name: 'PartnerParcelNumber', kind: 'text', text }] };
}

function documentsOf({ documents }: SlsAnswer, type: string): readonly CarrierOutput[] {
  const bytes = documents.get('label');
  const label = bytes === undefined ? null : labelOutput(type, bytes);
  if (label === null) throw unreadable(title, `no label of the type ${type}`);
  const customs = documents.get('cn23');
  const cn23 = customs === undefined ? null : labelOutput('PdfUrl', customs);
  return cn23 === null ? [label] : [label, { ...cn23, name: 'CustomsUrl' }];
}
