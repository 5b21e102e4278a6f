// Requests, accounts and recorded answers of Mondial Relay for the tests.
import { mondialrelay } from '../../../src/carriers/mondialrelay/mondialrelay.ts';
import type { LabelRequest } from '../../../src/model/shipping.ts';
import { answer, carrierAccount, labelRequest } from '../drive.ts';

/** Secrets that nothing else looks like. */
export const password = 'pw-7Qx!zT&<4';
export const privateKey = 'TestAPI1key';

export const restSettings = { login: 'BDTEST@business-api.mondialrelay.com', password, customerId: 'BDTEST' };
export const soapSettings = { enseigne: 'BDTEST13', brandCode: '11', privateKey };

export const restAccount = carrierAccount(mondialrelay, restSettings);
export const soapAccount = carrierAccount(mondialrelay, soapSettings);
export const fullAccount = carrierAccount(mondialrelay, { ...restSettings, ...soapSettings });

/** A shipment to a relay, as a shop would send it. */
export const relayRequest: LabelRequest = labelRequest({
  modeCol: 'CCC',
  modeLiv: '24R',
  expLang: 'fr',
  expAddr1: 'ACME Home',
  expAddr2: '12 rue de l’Été',
  expCity: 'Villeurbanne',
  expZip: '69100',
  expCountry: 'FR',
  expTel1: '04 82 53 84 57',
  expMail: 'depot@acme.example',
  destLang: 'FR',
  destAddr1: 'Zoé Lefèvre',
  destAddr2: '6, place des Vosges',
  destCity: 'Paris',
  destZip: '75004',
  destCountry: 'FR',
  destTel1: '+33600000000',
  destMail: 'zoe@example.com',
  weight: '1200',
  nbPackage: '1',
  shippingPickupPointCountry: 'FR',
  shippingPickupPoint: '66974',
  nClient: 'c42',
  nDossier: 'ORD-000001',
  instruction: 'Sonnez',
  content: 'Vêtements',
});

/** The same to the door. */
export const homeRequest: LabelRequest = {
  ...relayRequest,
  modeLiv: 'HOM',
  shippingPickupPoint: '',
  shippingPickupPointCountry: '',
};

export const pdf = Buffer.from('%PDF-1.4\n1 0 obj << >> endobj\ntrailer << >>\n%%EOF');

export const restLink =
  'https://connect.mondialrelay.com//BDTEST/etiquette/GetStickersExpeditionsAnonyme2?ens=BDTEST&' +
  'expedition=96408887&lg=fr-FR&format=10x15&crc=2D4FBA4AEEF3FD29F492397CFF65C48E';

/** The document that version 2 is sent for `relayRequest`. */
export const restBody = [
  '<?xml version="1.0" encoding="utf-8"?><ShipmentCreationRequest xmlns="http://www.example.org/Request">',
  '<Context><Login>BDTEST@business-api.mondialrelay.com</Login><Password>pw-7Qx!zT&amp;&lt;4</Password><CustomerId>' +
    'BDTEST</CustomerId><Culture>fr-FR</Culture><VersionAPI>1.0</VersionAPI></Context>',
  '<OutputOptions><OutputFormat>10x15</OutputFormat><OutputType>PdfUrl</OutputType></OutputOptions>',
  '<ShipmentsList><Shipment><OrderNo>ORD-000001</OrderNo><CustomerNo>C42</CustomerNo><ParcelCount>1</ParcelCount>',
  '<DeliveryMode Mode="24R" Location="FR-66974"/><CollectionMode Mode="CCC" Location=""/>',
  '<Parcels><Parcel><Content>Vêtements</Content><Weight Value="1200" Unit="gr"/></Parcel></Parcels>' +
    '<DeliveryInstruction>Sonnez</DeliveryInstruction>',
  '<Sender><Address><Title/><Firstname/><Lastname/><Streetname>12 rue de l&apos;Ete</Streetname><HouseNo/>' +
    '<CountryCode>FR</CountryCode><PostCode>69100</PostCode><City>Villeurbanne</City>',
  '<AddressAdd1>ACME Home</AddressAdd1><AddressAdd2/><AddressAdd3/><PhoneNo>+33482538457</PhoneNo><MobileNo/>' +
    '<Email>depot@acme.example</Email></Address></Sender>',
  '<Recipient><Address><Title/><Firstname/><Lastname/><Streetname>6, place des Vosges</Streetname><HouseNo/>' +
    '<CountryCode>FR</CountryCode><PostCode>75004</PostCode><City>Paris</City>',
  '<AddressAdd1>Zoe Lefevre</AddressAdd1><AddressAdd2/><AddressAdd3/><PhoneNo>+33600000000</PhoneNo><MobileNo>' +
    '+33600000000</MobileNo><Email>zoe@example.com</Email></Address></Recipient>',
  '</Shipment></ShipmentsList></ShipmentCreationRequest>',
].join('');

const response = (content: string) =>
  answer(
    `<?xml version="1.0" encoding="utf-8"?>
<ShipmentCreationResponse xmlns:xsd="http://www.w3.org/2001/XMLSchema"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xmlns="http://www.example.org/Response">${content}</ShipmentCreationResponse>`,
    200,
    { 'content-type': 'application/xml; charset=utf-8' },
  );

const escaped = password.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const echoed = `<Context><Login>BDTEST@business-api.mondialrelay.com</Login><Password>${escaped}</Password>
<CustomerId>BDTEST</CustomerId><Culture>fr-FR</Culture><VersionAPI>1.0</VersionAPI></Context>
<OutputOptions><OutputFormat>10x15</OutputFormat><OutputType>PdfUrl</OutputType></OutputOptions>`;

/** An answer of version 2 with one shipment. */
export const restMade = ({
  outputs = [restLink],
  statuses = '',
  number = '96408887',
  barcodes = [],
}: {
  readonly outputs?: readonly string[];
  readonly statuses?: string;
  readonly number?: string;
  /** One for each output; the sample has none. */
  readonly barcodes?: readonly string[];
} = {}) => {
  const content = `<Parcel/><LabelValues Key="MR.Expedition.NumeroExpedition" Value="${number}"/>`;
  const labels = outputs.map((output, index) => {
    const value = barcodes[index];
    const code = `<Barcode CarrierCode="MR" Type="Code128" DisplayedValue="${value}" Value="${value}"/>`;
    const raw = `<RawContent>${content}${value === undefined ? '' : `<Barcodes>${code}</Barcodes>`}</RawContent>`;
    return `<Label>${raw}<Output>${output.replaceAll('&', '&amp;')}</Output></Label>`;
  });
  const shipment = `<Shipment ShipmentNumber="${number}"><LabelList>${labels.join('')}</LabelList></Shipment>`;
  return response(`${echoed}<ShipmentsList>${shipment}</ShipmentsList><StatusList>${statuses}</StatusList>`);
};

/** An answer of version 2 that holds statuses alone. */
export const restRefused = (statuses: string) => response(`<StatusList>${statuses}</StatusList>`);

/** An answer of version 2 whose shipment holds statuses, in lower case. */
export const restShipmentRefused = (statuses: string) =>
  response(
    `${echoed}<ShipmentsList><Shipment><StatusList>${statuses}</StatusList></Shipment></ShipmentsList><StatusList/>`,
  );

/** An answer of version 1. */
export const soapResult = (operation: string, content: string) =>
  answer(
    '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" ' +
      'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"><soap:Body>' +
      `<${operation}Response xmlns="http://www.mondialrelay.fr/webservice/"><${operation}Result>` +
      `${content}</${operation}Result></${operation}Response></soap:Body></soap:Envelope>`,
    200,
    { 'content-type': 'text/xml; charset=utf-8' },
  );

/** An envelope that version 1 is sent. */
export const soapCall = (operation: string, content: string): string =>
  '<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">' +
  `<soap:Body><${operation} xmlns="http://www.mondialrelay.fr/webservice/">${content}</${operation}></soap:Body>` +
  '</soap:Envelope>';

const steps: readonly (readonly string[])[] = [
  ['RÉCEPTION DES DONNÉES', '17/03/25', '10:10', '', '', ''],
  ['PRISE EN CHARGE EN AGENCE', '18/03/25', '11:11', 'ESPAGNE', '', ''],
];

/** The table of a parcel, filled up to fifteen rows as the carrier fills it. */
export const tracingTable = (rows: readonly (readonly string[])[] = steps): string => {
  const names = ['Libelle', 'Date', 'Heure', 'Emplacement', 'Relais_Num', 'Relais_Pays'];
  const cell = (name: string, value = '') => (value === '' ? `<${name} />` : `<${name}>${value}</${name}>`);
  const row = (values: readonly string[]) => {
    const cells = names.map((name, index) => cell(name, values[index])).join('');
    return `<ret_WSI2_sub_TracingColisDetaille>${cells}</ret_WSI2_sub_TracingColisDetaille>`;
  };
  return (
    '<Tracing>' +
    `${[...rows, ...Array.from({ length: Math.max(0, 15 - rows.length) }, () => [])].map(row).join('')}</Tracing>`
  );
};
