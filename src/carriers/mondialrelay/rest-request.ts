// Builds the document of a shipment for version 2 (REST), in the order of its schema.
import type { LabelRequest } from '../../model/shipping.ts';
import { digits, inLinesOf, outputOf, parcelWeights } from '../label-rules.ts';
import { xml, type XmlPart, xmlText } from '../xml/write.ts';
import type { RestAccount } from './account.ts';
import { relayOf } from './field-rules.ts';
import { internationalPhone, isMobile } from './phone.ts';
import { capitals, countryCode, plainText } from './plain-text.ts';

/** Output types and the formats of each. */
export const restOutputs: Readonly<Record<string, readonly string[]>> = {
  PdfUrl: ['10x15', 'A4', 'A5'],
  ZplCode: ['Generic_ZPL_10x15_200dpi'],
  IplCode: ['Generic_IPL_10x15_204dpi'],
  QRCode: [],
};

/** Cultures by language. */
export const cultures: Readonly<Record<string, string>> = {
  fr: 'fr-FR',
  es: 'es-ES',
  nl: 'nl-NL',
  de: 'de-DE',
  it: 'it-IT',
  pt: 'pt-PT',
  pl: 'pl-PL',
  en: 'en-GB',
};

/** The version that the interface expects, whatever the version of its documentation. */
const versionApi = '1.0';

/** Maximum lengths of the lines of a street: its own, and two additional ones. */
export const restStreetLines: readonly number[] = [40, 30, 30];

/** An address as it is sent. */
interface RestAddress {
  readonly name: string;
  readonly street: string;
  readonly country: string;
  readonly postcode: string;
  readonly city: string;
  readonly phone: string;
  readonly mail: string;
}

/** The document that requests a label. */
export function shipmentDocument(request: LabelRequest, account: RestAccount): string {
  const { type, format } = outputOf(request, restOutputs);
  return xmlText(
    xml(
      'ShipmentCreationRequest',
      [
        xml('Context', [
          xml('Login', account.login),
          xml('Password', account.password),
          xml('CustomerId', account.customerId),
          xml('Culture', cultureOf(request, account)),
          xml('VersionAPI', versionApi),
        ]),
        xml('OutputOptions', [...(format === '' ? [] : [xml('OutputFormat', format)]), xml('OutputType', type)]),
        xml('ShipmentsList', [shipmentPart(request)]),
      ],
      { xmlns: 'http://www.example.org/Request' },
    ),
  );
}

/** The culture of a request: that of the account, unless the sender speaks another language. */
function cultureOf({ expLang }: LabelRequest, { culture }: RestAccount): string {
  const language = expLang.trim().toLowerCase();
  if (language === '' || culture.startsWith(`${language}-`)) return culture;
  return Object.hasOwn(cultures, language) ? (cultures[language] ?? culture) : culture;
}

/** The address of one side, rewritten in plain letters. */
export function restAddress(request: LabelRequest, side: 'exp' | 'dest'): RestAddress {
  const country = request[`${side}Country`];
  return {
    name: plainText(request[`${side}Addr1`]),
    street: plainText(request[`${side}Addr2`]),
    country: countryCode(country),
    postcode: plainText(request[`${side}Zip`]).replaceAll(' ', ''),
    city: plainText(request[`${side}City`]),
    phone: internationalPhone(request[`${side}Tel1`], country),
    mail: request[`${side}Mail`].trim(),
  };
}

/** Free text on one line. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function shipmentPart(request: LabelRequest): XmlPart {
  const content = oneLine(request.content);
  const parcels = parcelWeights(request).map((grams) =>
    xml('Parcel', [
      ...(content === '' ? [] : [xml('Content', content)]),
      xml('Weight', '', { Value: String(grams), Unit: 'gr' }),
    ]),
  );
  return xml('Shipment', [
    xml('OrderNo', capitals(request.nDossier)),
    xml('CustomerNo', capitals(request.nClient)),
    xml('ParcelCount', String(digits(request.nbPackage) ?? 0)),
    xml('DeliveryMode', '', { Mode: request.modeLiv, Location: locationOf(request, 'shippingPickupPoint') }),
    xml('CollectionMode', '', { Mode: request.modeCol, Location: locationOf(request, 'pickupPoint') }),
    xml('Parcels', parcels),
    ...(request.instruction.trim() === '' ? [] : [xml('DeliveryInstruction', oneLine(request.instruction))]),
    xml('Sender', [addressPart(restAddress(request, 'exp'))]),
    xml('Recipient', [addressPart(restAddress(request, 'dest'))]),
  ]);
}

/** In place of a relay: Mondial Relay chooses one. Clients of version 2 write it without a country. */
export const automatic = 'AUTO';

function locationOf(request: LabelRequest, field: 'pickupPoint' | 'shippingPickupPoint'): string {
  const { country, number } = relayOf(request, field);
  if (field === 'pickupPoint' && number === automatic) return automatic;
  return number === '' ? '' : `${country}-${number}`;
}

/** The name goes into AddressAdd1, which holds it if there is no first and last name. */
function addressPart({ name, street, country, postcode, city, phone, mail }: RestAddress): XmlPart {
  const [first = '', second = '', third = ''] = inLinesOf(street, restStreetLines) ?? [street];
  return xml('Address', [
    xml('Title'),
    xml('Firstname'),
    xml('Lastname'),
    xml('Streetname', first),
    xml('HouseNo'),
    xml('CountryCode', country),
    xml('PostCode', postcode),
    xml('City', city),
    xml('AddressAdd1', name),
    xml('AddressAdd2', second),
    xml('AddressAdd3', third),
    xml('PhoneNo', phone),
    xml('MobileNo', isMobile(phone) ? phone : ''),
    xml('Email', mail),
  ]);
}
