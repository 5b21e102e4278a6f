// Labels of Colissimo through the label service SLS: one call for each parcel, and reprints by number.
import { textBlock } from '../../model/text-block.ts';
import {
  type CarrierAccount,
  CarrierError,
  type CarrierLabel,
  type CarrierOutput,
  type LabelTask,
  type ParcelTask,
  type CarrierAnswer,
  type CarrierRequest,
} from '../carrier.ts';
import { type DryRunTask, takenSentence } from '../desk.ts';
import { type JsonObject, textAt, withoutEmpty } from '../json.ts';
import { probeBySample, sampleRequest } from '../sample-request.ts';
import { labelOutput, parcelNumbers } from '../label-outputs.ts';
import { cashOnDeliveryCents, outputOf, parcelWeights } from '../label-rules.ts';
import { parisTime } from '../paris-time.ts';
import type { CustomsDeclaration } from '../../model/customs.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { parcelIn, slsAnswer, type SlsAnswer, title } from './answers.ts';
import { type PointAddress, pointOf } from './points.ts';
import { colissimoOutputs } from './rules.ts';
import { recipientOf, senderOf } from './address.ts';
import { declared } from './customs.ts';
import { unreadable, afterCreation } from '../carrier-messages.ts';

type Talk<T> = AsyncGenerator<CarrierRequest, T, CarrierAnswer>;

/** Creates a label for each parcel, to be handed in today; the first parcel's number stands for all of them. */
export async function* createLabel({ account, request, customs, now }: LabelTask): Talk<CarrierLabel> {
  requireAccess(account);
  const version = request.apiVersion || account.settings.version;
  const point = yield* pointOf(account, request, now);
  const numbers: string[] = [];
  const outputs: CarrierOutput[] = [];
  for (const [index, grams] of parcelWeights(request).entries()) {
    try {
      const answer = await slsAnswer(
        yield sls(
          account,
          `${version}/generateLabel`,
          orderOf(request, account, { grams, point, customs, now }),
          'never',
        ),
      );
      const { number, partner } = parcelOf(answer);
      numbers.push(number);
      outputs.push(...documentsOf(answer, outputOf(request, colissimoOutputs).type), ...partner);
    } catch (error) {
      throw afterCreation(error, title, numbers, { asked: index + 1 });
    }
  }
  return { expeditionNumber: numbers[0] ?? '', outputs: [...outputs, ...parcelNumbers(numbers)] };
}

/** Has the service itself judge each parcel (checkGenerateLabel), which creates nothing. */
export async function* dryRun({ account, request, customs, now }: DryRunTask): Talk<string> {
  requireAccess(account);
  const version = request.apiVersion || account.settings.version;
  const point = yield* pointOf(account, request, now);
  for (const grams of new Set(parcelWeights(request)))
    await slsAnswer(
      yield sls(
        account,
        `${version}/checkGenerateLabel`,
        orderOf(request, account, { grams, point, customs, now }),
        'safe',
      ),
    );
  return takenSentence(title);
}

/** Reprints a label in the format in which it was requested. Customs declarations are not reprinted. */
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

export function probeLabels(account: CarrierAccount, now: number): Talk<string> {
  const works = 'Colissimo accepts the credentials of this account';
  return probeBySample(dryRun({ account, request: sample, now }), works, 'a parcel within France');
}

/** From the post office of the Louvre to itself. */
const sample = sampleRequest({
  modeLiv: 'DOM',
  ...{ expAddr1: 'La Poste', expAddr2: '50 rue du Louvre', expZip: '75001', expCity: 'Paris', expCountry: 'FR' },
  ...{ destAddr1: 'La Poste', destAddr2: '50 rue du Louvre', destZip: '75001', destCity: 'Paris', destCountry: 'FR' },
  ...{ weight: '1000', nbPackage: '1' },
});

/** Whether the account has the credentials that labels need. */
export function hasAccess({ settings: { apiKey, contractNumber, password } }: CarrierAccount): boolean {
  return Boolean(apiKey || (contractNumber && password));
}

/** @throws CarrierError `configuration` for an account without credentials */
export function requireAccess(account: CarrierAccount): void {
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
 * A request to the label service. The key goes into a header. Without a key, contract and password go into the body of
 * a label or slip, and into the headers of a reprint.
 */
export function sls(
  { settings }: CarrierAccount,
  path: string,
  body: JsonObject,
  repeat: 'safe' | 'never',
): CarrierRequest {
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
  readonly customs: CustomsDeclaration | undefined;
  readonly now: number;
}

function orderOf(request: LabelRequest, account: CarrierAccount, { grams, point, customs, now }: Parcel): JsonObject {
  const { settings } = account;
  const { type, format } = outputOf(request, colissimoOutputs);
  const goods = customs === undefined ? null : declared(customs, request, account);
  const own = settings.accountNumber ? [{ key: 'ACCOUNT_NUMBER', value: settings.accountNumber }] : [];
  const cash = cashOnDeliveryCents(request) > 0 ? { cod: true, codamount: cashOnDeliveryCents(request) } : {};
  return withoutEmpty({
    outputFormat: { x: 0, y: 0, outputPrintingType: printingType(type, format) },
    letter: withoutEmpty({
      service: withoutEmpty({
        productCode: request.modeLiv,
        depositDate: parisTime(now).date,
        orderNumber: request.nDossier,
        commercialName: settings.commercialName || request.expAddr1,
        returnTypeChoice: Number(settings.returnTypeChoice),
        ...goods?.service,
      }),
      parcel: withoutEmpty({
        weight: kilograms(grams),
        pickupLocationId: request.shippingPickupPoint,
        instructions: request.instruction,
        ...cash,
        ...goods?.parcel,
      }),
      customsDeclarations: goods?.customsDeclarations,
      sender: withoutEmpty({ senderParcelRef: request.nDossier, address: senderOf(request) }),
      addressee: withoutEmpty({ addresseeParcelRef: request.nClient, address: recipientOf(request, point) }),
    }),
    fields: withoutEmpty({ field: [...own, ...(goods?.fields ?? [])] }),
  });
}

/** Kilograms with at most two decimals, the most that Colissimo accepts (30301), rounded up to tens of grams. */
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
