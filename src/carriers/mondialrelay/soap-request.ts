// Builds and signs the parameters of a shipment for version 1 (SOAP), in the order of wire and signature.
import { createHash } from 'node:crypto';
import type { LabelRequest } from '../../model/shipping.ts';
import { digits, inLinesOf } from '../label-rules.ts';
import { xml, type XmlPart, xmlText } from '../xml/write.ts';
import type { SoapAccount } from './account.ts';
import { relayOf } from './field-rules.ts';
import { internationalPhone } from './phone.ts';
import { capitals, countryCode, wrapped } from './plain-text.ts';

/** A parameter: element and text. One without a text is neither sent nor signed. */
export type SoapParameter = readonly [name: string, value: string];

export const soapNamespace = 'http://www.mondialrelay.fr/webservice/';

/** Languages in which version 1 prints for a recipient. */
export const recipientLanguages: readonly string[] = ['FR', 'ES', 'NL'];

/** Maximum lengths of the lines of a street: address lines 3 and 4. */
export const soapStreetLines: readonly number[] = [32, 32];

/** Line length and number of lines of the text on the label. */
export const labelText = { length: 30, lines: 10 } as const;

/** All 45 parameters of WSI2_CreationEtiquette except Security and Texte. */
export function creationParameters(
  request: LabelRequest,
  { enseigne, culture }: SoapAccount,
): readonly SoapParameter[] {
  const senderLanguage = capitals(request.expLang) || culture.slice(0, 2).toUpperCase();
  const recipientLanguage =
    capitals(request.destLang) || (recipientLanguages.includes(senderLanguage) ? senderLanguage : 'FR');
  const cash = digits(request.crtValue) ?? 0;
  const collection = relayParameters(request, 'pickupPoint');
  const delivery = relayParameters(request, 'shippingPickupPoint');
  return [
    ['Enseigne', enseigne],
    ['ModeCol', request.modeCol],
    ['ModeLiv', request.modeLiv],
    ['NDossier', capitals(request.nDossier)],
    ['NClient', capitals(request.nClient)],
    ...addressParameters(request, 'exp', senderLanguage),
    ...addressParameters(request, 'dest', recipientLanguage),
    // The pattern requires three digits.
    ['Poids', String(digits(request.weight) ?? 0).padStart(3, '0')],
    ['Longueur', ''],
    ['Taille', ''],
    ['NbColis', String(digits(request.nbPackage) ?? 0)],
    ['CRT_Valeur', String(cash)],
    ['CRT_Devise', cash > 0 ? 'EUR' : ''],
    ['Exp_Valeur', ''],
    ['Exp_Devise', ''],
    ['COL_Rel_Pays', collection.country],
    ['COL_Rel', collection.number],
    ['LIV_Rel_Pays', delivery.country],
    ['LIV_Rel', delivery.number],
    ['TAvisage', ''],
    ['TReprise', ''],
    ['Montage', ''],
    ['TRDV', ''],
    ['Assurance', ''],
    ['Instructions', capitals(request.instruction)],
  ];
}

/**
 * The relay in version 1's form: six digits, or AUTO for the one nearest to the sender, whose country it then finds.
 */
function relayParameters(
  request: LabelRequest,
  field: 'pickupPoint' | 'shippingPickupPoint',
): { readonly country: string; readonly number: string } {
  const { country, number } = relayOf(request, field);
  return {
    country: number === 'AUTO' && country === '' ? 'XX' : country,
    number: /^\d+$/.test(number) ? number.padStart(6, '0') : number,
  };
}

/** The text printed on A4 and A5 labels: the content, in lines. It is not signed. */
export function labelTextOf({ content }: LabelRequest): string {
  return wrapped(content.trim(), labelText.length)?.join('(cr)') ?? '';
}

/**
 * The signature: MD5 of all texts and the private key, concatenated, as bytes of Windows-1252.
 * @param values in the order of the parameters, without Texte
 */
export function signature(values: readonly string[], privateKey: string): string {
  return md5(`${values.join('')}${privateKey}`);
}

/** The check value in a link to a label. */
export function linkCheck(
  { enseigne, brandCode, privateKey }: Pick<SoapAccount, 'enseigne' | 'brandCode' | 'privateKey'>,
  expeditionNumber: string,
): string {
  return md5(`<${enseigne}${brandCode}>${expeditionNumber}<${privateKey}>`);
}

/**
 * The envelope of an operation, signed.
 * @param unsigned parameters that follow the signature
 */
export function soapEnvelope(
  operation: string,
  parameters: readonly SoapParameter[],
  { privateKey }: SoapAccount,
  unsigned: readonly SoapParameter[] = [],
): string {
  const security: SoapParameter = [
    'Security',
    signature(
      parameters.map(([, value]) => value),
      privateKey,
    ),
  ];
  const elements = [...parameters, security, ...unsigned]
    .filter(([, value]) => value !== '')
    .map(([name, value]): XmlPart => xml(name, value));
  const body = xml('soap:Body', [xml(operation, elements, { xmlns: soapNamespace })]);
  return xmlText(xml('soap:Envelope', [body], { 'xmlns:soap': 'http://schemas.xmlsoap.org/soap/envelope/' }));
}

function addressParameters(request: LabelRequest, side: 'exp' | 'dest', language: string): readonly SoapParameter[] {
  const prefix = side === 'exp' ? 'Expe' : 'Dest';
  const country = request[`${side}Country`];
  const street = capitals(request[`${side}Addr2`]);
  const [first = '', second = ''] = inLinesOf(street, soapStreetLines) ?? [street];
  return [
    [`${prefix}_Langage`, language],
    [`${prefix}_Ad1`, capitals(request[`${side}Addr1`])],
    [`${prefix}_Ad2`, ''],
    [`${prefix}_Ad3`, first],
    [`${prefix}_Ad4`, second],
    [`${prefix}_Ville`, capitals(request[`${side}City`])],
    [`${prefix}_CP`, capitals(request[`${side}Zip`]).replaceAll(' ', '')],
    [`${prefix}_Pays`, countryCode(country)],
    [`${prefix}_Tel1`, internationalPhone(request[`${side}Tel1`], country)],
    [`${prefix}_Tel2`, ''],
    [`${prefix}_Mail`, request[`${side}Mail`].trim()],
  ];
}

/** The characters of the bytes 128 to 255. */
const upperHalf = new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 128 }, (_, index) => 128 + index));

function md5(text: string): string {
  const bytes = Uint8Array.from([...text], (character) => {
    const code = character.codePointAt(0) ?? 0;
    const place = upperHalf.indexOf(character);
    // Characters that the encoding lacks become question marks, as in .NET.
    return code < 128 ? code : place < 0 ? 63 : 128 + place;
  });
  return createHash('md5').update(bytes).digest('hex').toUpperCase();
}
