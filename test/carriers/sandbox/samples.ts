// Label requests for the tests of the sandbox: a plain one, one that is long, and random ones in many scripts.
import fc from '../../contract/properties.ts';
import type { CarrierAccount, LabelTask } from '../../../src/carriers/carrier.ts';
import { sandbox } from '../../../src/carriers/sandbox/index.ts';
import type { LabelRequest } from '../../../src/model/shipping.ts';
import { carrierAccount, labelRequest } from '../drive.ts';

export const account: CarrierAccount = carrierAccount(sandbox, {});

/** Saturday noon in Paris. */
export const now = Date.UTC(2026, 10, 21, 11);

export const toPoint: LabelRequest = labelRequest({
  modeCol: 'CCC',
  modeLiv: '24R',
  expAddr1: 'Boulangerie Éclair & Fils SARL',
  expAddr2: '12 rue de l’Église',
  expZip: '59000',
  expCity: 'Lille',
  expCountry: 'FR',
  expTel1: '+33 3 20 00 00 00',
  destAddr1: 'Zoë Müller-Lefèvre',
  destAddr2: '128 bis avenue du Général de Gaulle',
  destZip: '33000',
  destCity: 'Bordeaux',
  destCountry: 'FR',
  destTel1: '+33 6 12 34 56 78',
  weight: '1250',
  nbPackage: '1',
  crtValue: '4990',
  shippingPickupPoint: '066974',
  shippingPickupPointCountry: 'FR',
  nClient: 'C-000421',
  nDossier: 'WEB-2026-00042',
  instruction: 'Sonner deux fois.',
});

export const toHome: LabelRequest = {
  ...toPoint,
  modeLiv: 'HOM',
  shippingPickupPoint: '',
  shippingPickupPointCountry: '',
};

/** As much as a label can hold. */
export const long: LabelRequest = {
  ...toHome,
  modeCol: 'REL',
  pickupPoint: '012345',
  pickupPointCountry: 'FR',
  weight: '4500000',
  nbPackage: '99',
  crtValue: '9999999',
  expAddr1: 'Société anonyme des Entrepôts et Magasins Généraux de Lille-Roubaix-Tourcoing',
  expAddr2: 'Plateforme logistique multimodale Delta 3, hall B, porte 114, rue des Archives',
  destAddr1:
    'Madame la Directrice générale adjointe Anne-Sophie de la Rochefoucauld-Montmorency, Société Européenne de ' +
    'Distribution de Produits Manufacturés',
  destAddr2:
    'Résidence Les Jardins de l’Hôtel de Ville, Bâtiment C, Escalier 4, 12e étage, porte 1204, 128 bis avenue du ' +
    'Général Charles de Gaulle prolongée, Zone Industrielle Nord',
  destCity: 'Saint-Germain-de-Tallevende-la-Lande-Vaumont CEDEX 14',
  nClient: `CLIENT-${'0123456789-'.repeat(4).slice(0, 43)}`,
  nDossier: `DOSSIER-${'0123456789-'.repeat(4).slice(0, 42)}`,
  instruction:
    'Sonner deux fois, laisser au gardien si absent. Code porte 42B7. Attention au chien, il ne mord pas mais il ' +
    'court après les livreurs. Si personne ne répond, appeler le numéro indiqué, puis déposer le colis dans l’abri ' +
    'à droite du portail, derrière les poubelles, jamais devant la porte du voisin qui se plaint à chaque fois.',
};

/** Names and streets as they are written in other countries. */
export const manyScripts: LabelRequest = {
  ...toPoint,
  expAddr1: 'Łukasz Žižka & Ştefan Đorđević, Ő',
  expCity: 'Þórshöfn',
  destAddr1: 'Κωνσταντίνος Παπαδόπουλος · Николай Иванов',
  destAddr2: 'شارع الحبيب بورقيبة 12 (باب 3) · רחוב הרצל 5',
  destCity: '北京市朝阳区建国路 · 서울특별시 · 東京都',
  instruction: '🌸😀 Nguyễn Thị Hằng a\u0323\u0301\u0302\u0303x नमस्ते ราชดำเนิน',
  nDossier: 'A^B~C_D\\E|{}>;',
};

export function task(request: LabelRequest, changes: Partial<LabelTask> = {}): LabelTask {
  return { account, request, sequence: 17, now, ...changes };
}

/** First and last characters of scripts, and others that are awkward. */
const alphabets: readonly (readonly [first: number, last: number])[] = [
  [0x61, 0x7a],
  [0x41, 0x5a],
  [0x30, 0x39],
  [0xc0, 0xff],
  [0x100, 0x17f],
  [0x1ea0, 0x1ef9],
  [0x391, 0x3c9],
  [0x410, 0x44f],
  [0x531, 0x556],
  [0x10d0, 0x10f0],
  [0x5d0, 0x5ea],
  [0x621, 0x64a],
  [0x904, 0x939],
  [0xe01, 0xe2e],
  [0x3041, 0x3096],
  [0x30a1, 0x30fa],
  [0x4e00, 0x9fa5],
  [0xac00, 0xd7a3],
  [0x1f300, 0x1f64f],
  [0x21, 0x2f],
  [0x300, 0x345],
];

const word = fc
  .constantFrom(...alphabets)
  .chain(([first, last]) => fc.array(fc.integer({ min: first, max: last }), { minLength: 1, maxLength: 14 }))
  .map((codes) => String.fromCodePoint(...codes));

/** Some words, each of one script. */
function words(most: number): fc.Arbitrary<string> {
  return fc.array(word, { minLength: 1, maxLength: most }).map((parts) => parts.join(' '));
}

/** A request in which every free text is random. */
export const randomRequest: fc.Arbitrary<LabelRequest> = fc
  .record({
    expAddr1: words(6),
    expAddr2: words(6),
    expCity: words(3),
    destAddr1: words(8),
    destAddr2: words(8),
    destCity: words(5),
    destTel1: words(2).map((text) => text.slice(0, 30)),
    nClient: words(3),
    nDossier: words(3),
    instruction: words(20),
    modeLiv: fc.constantFrom('24R', '24L', 'HOM', 'LCC'),
    crtValue: fc.nat(9_999_999).map(String),
  })
  .map((texts) => ({ ...toPoint, ...texts, weight: '5000', nbPackage: '2' }));
