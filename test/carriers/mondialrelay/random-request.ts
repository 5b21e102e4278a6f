// Random label requests for Mondial Relay, near what it takes: each field right, at a limit, or wrong in a way that
// people get things wrong.
import fc from '../../contract/properties.ts';
import { type LabelField, type LabelRequest, labelRequestFields } from '../../../src/model/shipping.ts';
import { labelRequest } from '../drive.ts';

const address = [
  'A',
  'Zoé Lefèvre',
  "12 bis, rue de l'Été",
  'Société Générale d’Électricité du Nord',
  'Ma & Pa',
  'n° 5',
  '東京',
  'Łódź 3',
  'a'.repeat(30),
  'b'.repeat(31),
  'c'.repeat(32),
  'd'.repeat(33),
  'e'.repeat(40),
  'f'.repeat(41),
  ' x ',
  'A\tB',
  '',
  'Ω',
];
const city = [
  'Paris',
  'Saint-Étienne',
  "L'Haÿ-les-Roses",
  'Paris 15',
  'St. Denis',
  'A',
  'a'.repeat(26),
  'a'.repeat(27),
  'a'.repeat(30),
  'a'.repeat(31),
  '',
];
const postcode = [
  '75004',
  '69100',
  '@7500',
  '1000',
  '1234 AB',
  'L-1234',
  '4000-001',
  '',
  '7500',
  '750045',
  'SW1A 1AA',
  '1234567890',
  '12345678901',
  '7_5',
  '1',
];
const country = ['FR', 'fr', 'BE', 'ES', 'MC', 'PL', 'GB', 'DE', 'F', 'FRA', '', '1A'];
const phone = [
  '',
  '0612345678',
  '06 12 34 56 78',
  '+33 (0)6 12 34 56 78',
  '+33612345678',
  '0033612345678',
  '+330612345678',
  '+3361234567',
  '+32470123456',
  '021234567',
  '+3247012345678',
  '+34911223344',
  '+34711223344',
  '+34011223344',
  '+37793',
  '+377931515',
  '+37793151500',
  '+3779315150012',
  '+390612345678',
  '+3906123456',
  '+35226',
  '+352261',
  '+3522612345',
  '+352261234567',
  '+35226123456789',
  '+351211234567',
  '+35121123',
  '+4930123',
  '+4930123456',
  '+49301234567890',
  '+431',
  '+4312345',
  '+441234567',
  '+44123',
  '+31612345678',
  '+316123',
  '+353861234567',
  '+41791234567',
  '+4179',
  '+48123456789',
  '+590690123456',
  '+5961234',
  '+262692123456',
  '+1 202 555 0100',
  '+12',
  '12',
  'call me',
  '+',
  '0000000000',
];
const mail = [
  '',
  'a@b.fr',
  'aa@b.fr',
  'zoe@example.com',
  'zoe+shop@example.com',
  'zoé@example.com',
  'nobody',
  'nobody-else',
  `${'a'.repeat(58)}@example.com`,
  `${'a'.repeat(59)}@example.com`,
  'a@b@example.com',
];
const relay = [
  '',
  '66974',
  '066974',
  'FR-66974',
  'fr-066974',
  'BE-12345',
  'AUTO',
  '1234567',
  '12345678',
  'A1B2',
  'FR-',
  '12-34',
  '99 9',
];
const relayCountry = ['', 'FR', 'fr', 'BE', 'XX', 'MC', 'F'];
const reference = [
  '',
  'ORD-1',
  'ord 1',
  'é',
  'A'.repeat(9),
  'A'.repeat(10),
  'A'.repeat(15),
  'A'.repeat(16),
  'a_b',
  'a.b',
];
const text = [
  '',
  'Sonnez deux fois',
  'a',
  'ab',
  "l'entrée",
  'x'.repeat(30),
  'x'.repeat(31),
  'x'.repeat(32),
  'x'.repeat(40),
  'x'.repeat(41),
  'un deux trois '.repeat(18),
  'un deux trois '.repeat(21),
  'a\nlonger line',
  '<b>',
  '\u0001',
  '\ud800',
  '5 €',
];

/** Values for each field: right ones, those at a limit, and those that people get wrong. */
const tellingValues: Readonly<Record<LabelField, readonly string[]>> = {
  modeCol: ['CCC', 'REL', 'CDR', 'CDS', '', 'ccc', 'XYZ'],
  modeLiv: ['24R', '24L', 'HOM', 'LCC', 'XOH', '24X', 'LD1', 'LDS', 'DRI', 'ESP', '24C', ''],
  expLang: ['', 'fr', 'FR', 'es', 'EN', 'xx', 'f', 'fra'],
  destLang: ['', 'fr', 'NL', 'ES', 'DE', '1', 'fra'],
  expAddr1: address,
  expAddr2: address,
  expCity: city,
  expZip: postcode,
  expCountry: country,
  expTel1: phone,
  expMail: mail,
  destAddr1: address,
  destAddr2: address,
  destCity: city,
  destZip: postcode,
  destCountry: country,
  destTel1: phone,
  destMail: mail,
  weight: ['1200', '10', '9', '99', '100', '1', '0', '', '1.5', '-1', '9999999', '10000000', '0001', 'heavy'],
  nbPackage: ['1', '2', '3', '99', '100', '0', '', '01', 'two'],
  crtValue: ['', '0', '00', '1000', '9999999', '10000000', '-5', '1.50'],
  pickupPointCountry: relayCountry,
  pickupPoint: relay,
  shippingPickupPointCountry: relayCountry,
  shippingPickupPoint: relay,
  nClient: reference,
  nDossier: reference,
  apiVersion: [''],
  outputType: ['', 'PdfUrl', 'ZplCode', 'IplCode', 'QRCode', 'Pdf'],
  outputFormat: ['', '10x15', 'A4', 'A5', 'Generic_ZPL_10x15_200dpi', 'Generic_IPL_10x15_204dpi', 'A6'],
  instruction: text,
  content: text,
};

const fields = Object.keys(labelRequestFields) as readonly LabelField[];

/** The right request with one field changed, for each telling value of each field. */
export function singleChanges(right: LabelRequest): readonly LabelRequest[] {
  return fields.flatMap((field) => tellingValues[field].map((value) => labelRequest({ ...right, [field]: value })));
}

/** The right request with some fields changed: with all of them changed hardly any would be right. */
export function randomRequest(right: LabelRequest): fc.Arbitrary<LabelRequest> {
  const telling = (field: LabelField): fc.Arbitrary<string> =>
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...tellingValues[field]) },
      { weight: 1, arbitrary: fc.string({ maxLength: 12 }) },
    );
  const change = fc.constantFrom(...fields).chain((field) => telling(field).map((value) => [field, value] as const));
  return fc
    .array(change, { minLength: 2, maxLength: 4 })
    .map((changes) => labelRequest({ ...right, ...Object.fromEntries(changes) }));
}
