// Version 1 (SOAP): the exchanges that create a label, fetch it again, track a parcel, and try the key.
import {
  CarrierError,
  type CarrierLabel,
  type ParcelTask,
  type CarrierAnswer,
  type CarrierRequest,
} from '../carrier.ts';
import type { LabelRequest, Tracking } from '../../model/shipping.ts';
import { xmlChild, type XmlElement, xmlValue } from '../xml/element.ts';
import type { SoapAccount } from './account.ts';
import { type CodeAnswer, soapAnswer } from './codes.ts';
import { isNumber, refusalError, title, warningOutput, withParcel } from './errors.ts';
import { labelFile, labelFileOrLink, linkOn } from './label-file.ts';
import {
  creationParameters,
  labelTextOf,
  linkCheck,
  soapEnvelope,
  soapNamespace,
  type SoapParameter,
} from './soap-request.ts';
import { soapFormats } from './soap-rules.ts';
import { type SoapFault, soapResponse } from '../soap.ts';
import { isAwaited, registered } from '../tracking-steps.ts';
import { readTracing, tracingStates } from './tracing.ts';
import { accessError, messageFacts, unreadable } from '../carrier-messages.ts';

/** Creates a label. Its first request creates the parcel and is made once. */
export function* createSoapLabel(
  request: LabelRequest,
  account: SoapAccount,
): Generator<CarrierRequest, CarrierLabel, CarrierAnswer> {
  const parameters = creationParameters(request, account);
  const result = yield* callSoap(account, 'WSI2_CreationEtiquette', parameters, {
    repeat: 'never',
    unsigned: [['Texte', labelTextOf(request)]],
  });
  const status = xmlValue(result, 'STAT');
  const expeditionNumber = xmlValue(result, 'ExpeditionNum');
  const isKnown = isNumber(expeditionNumber);
  // 60 says that the text on the label was not accepted; the label is created all the same.
  if (status !== '0' && !(status === '60' && isKnown)) throw withParcel(creationRefusal(status), expeditionNumber);
  if (!isKnown) throw unreadable(title, 'no shipment number');
  const link = labelLink(account, expeditionNumber, formatOf(request), xmlValue(result, 'URL_Etiquette'));
  if (link === null) throw withParcel(unreadable(title, 'no link to the label'), expeditionNumber);
  const warnings = status === '0' ? [] : [warningOutput({ code: status, text: soapAnswer(status).detail }, '')];
  return { expeditionNumber, outputs: [yield* labelFileOrLink(account.labelOrigin, link), ...warnings] };
}

/** Fetches a label again. */
export function* fetchSoapLabel(
  { expeditionNumber, label }: ParcelTask,
  account: SoapAccount,
): Generator<CarrierRequest, CarrierLabel, CarrierAnswer> {
  const result = yield* callSoap(
    account,
    'WSI3_GetEtiquettes',
    parcelParameters(account, 'Expeditions', expeditionNumber, languageOf(account)),
  );
  const status = xmlValue(result, 'STAT');
  if (status !== '0') throw parcelRefusal(status);
  const format = label === null ? (soapFormats[0] ?? '') : formatOf(label.request);
  const url = linkOn(account.labelOrigin, xmlValue(result, `URL_PDF_${format}`));
  // An empty relative link leads to the root.
  const file = url === null || url.search === '' ? null : yield* labelFile(url);
  if (file === null) throw new CarrierError('unavailable', `${title} gave no PDF of the label.`);
  return { expeditionNumber, outputs: [file] };
}

/** Tracks a parcel. */
export function* trackSoapParcel(
  task: ParcelTask,
  account: SoapAccount,
): Generator<CarrierRequest, Tracking, CarrierAnswer> {
  // Tracking speaks French and English.
  const language = account.culture.startsWith('fr') ? 'FR' : 'EN';
  const result = yield* callSoap(
    account,
    'WSI2_TracingColisDetaille',
    parcelParameters(account, 'Expedition', task.expeditionNumber, language),
  );
  const status = xmlValue(result, 'STAT');
  // A parcel just created by version 2 may not be known there yet.
  if (status === '94' && isAwaited(task)) return registered('');
  if (!tracingStates.includes(status)) throw parcelRefusal(status);
  return readTracing(result);
}

/** Tries the key on a parcel that cannot exist: the answer that it is unknown shows that the key is right. */
export function* probeSoap(account: SoapAccount): Generator<CarrierRequest, string, CarrierAnswer> {
  const result = yield* callSoap(
    account,
    'WSI3_GetEtiquettes',
    parcelParameters(account, 'Expeditions', '00000000', languageOf(account)),
  );
  const status = xmlValue(result, 'STAT');
  if (status === '0' || status === '24' || status === '94')
    return `${title} accepts the enseigne and the private key of version 1.`;
  throw parcelRefusal(status);
}

/**
 * The address of a label in a format: the carrier's own link, or one made in the same way. Null if neither is possible.
 */
export function labelLink(
  account: SoapAccount,
  expeditionNumber: string,
  format: string,
  given: string,
): string | null {
  const url = given === '' ? null : linkOn(account.labelOrigin, given);
  if (url !== null && url.searchParams.get('expedition') === expeditionNumber) {
    url.searchParams.set('format', format);
    return url.href;
  }
  if (account.brandCode === '') return null;
  const query = new URLSearchParams({
    ens: `${account.enseigne}${account.brandCode}`,
    expedition: expeditionNumber,
    lg: languageOf(account),
    format,
    crc: linkCheck(account, expeditionNumber),
  });
  return `${account.labelOrigin}/ww2/PDF/StickerMaker2.aspx?${query}`;
}

interface CallOptions {
  readonly repeat?: CarrierRequest['repeat'];
  readonly unsigned?: readonly SoapParameter[];
}

/** Calls one operation and returns its result element, whatever STAT says. */
export function* callSoap(
  account: SoapAccount,
  operation: string,
  parameters: readonly SoapParameter[],
  { repeat = 'safe', unsigned = [] }: CallOptions = {},
): Generator<CarrierRequest, XmlElement, CarrierAnswer> {
  const answer = yield {
    method: 'POST',
    url: account.url,
    repeat,
    body: soapEnvelope(operation, parameters, account, unsigned),
    headers: {
      Accept: 'text/xml',
      'Content-Type': 'text/xml; charset=utf-8',
      SOAPAction: `"${soapNamespace}${operation}"`,
    },
  };
  const response = soapResponse(title, answer, `${operation}Response`, faultError);
  const result = xmlChild(response, `${operation}Result`);
  if (result === null || xmlValue(result, 'STAT') === '')
    throw accessError(title, answer) ?? unreadable(title, 'no status');
  return result;
}

function faultError({ code, message }: SoapFault): CarrierError {
  const detail = `${title} failed over the request (SOAP fault).`;
  return new CarrierError('unavailable', detail, messageFacts({ code, text: message }));
}

/** A request for a new parcel names no existing one: a code for an unknown parcel is a refusal. */
function creationRefusal(status: string): CarrierError {
  return refusalBy(status, (answer) => (answer.kind === 'unknown' ? { ...answer, kind: 'refused' } : answer));
}

/** A request about a parcel gives only its number: everything else comes from the settings. */
function parcelRefusal(status: string): CarrierError {
  return refusalBy(status, (answer) =>
    answer.kind === 'invalid'
      ? {
          kind: 'configuration',
          fields: [],
          detail: `${answer.detail} It comes from the settings of the account; correct enseigne and culture.`,
        }
      : answer,
  );
}

export function refusalBy(status: string, classify: (answer: CodeAnswer) => CodeAnswer): CarrierError {
  return refusalError([{ code: status, text: '' }], (code) => classify(soapAnswer(code)));
}

function parcelParameters(
  { enseigne }: SoapAccount,
  name: string,
  expeditionNumber: string,
  language: string,
): readonly SoapParameter[] {
  if (!/^\d{8}$/.test(expeditionNumber))
    throw new CarrierError('unknown', `${title} knows no such parcel: its numbers have eight digits.`);
  return [
    ['Enseigne', enseigne],
    [name, expeditionNumber],
    ['Langue', language],
  ];
}

function languageOf({ culture }: SoapAccount): string {
  return culture.slice(0, 2).toUpperCase();
}

function formatOf({ outputFormat }: LabelRequest): string {
  return soapFormats.includes(outputFormat) ? outputFormat : (soapFormats[0] ?? '');
}
