// The fields of a label request in the form: in groups, with their displayed names.
import type { LabelRequest } from '../../../client/src/index.ts';
import type { Language } from '../texts/texts.ts';
import type { ShipWord } from './words.ts';

export type LabelField = keyof LabelRequest;

/** The values of a form: every field is present, '' when nothing was entered. */
export type LabelDraft = Readonly<Partial<Record<LabelField, string>>>;

interface FieldGroup {
  readonly name: ShipWord;
  readonly fields: readonly LabelField[];
  /** Shown initially; otherwise it is opened by the user, or because one of its fields is required or wrong. */
  readonly isOpen: boolean;
}

export const fieldGroups: readonly FieldGroup[] = [
  {
    name: 'recipient',
    fields: ['destAddr1', 'destAddr2', 'destZip', 'destCity', 'destCountry', 'destTel1', 'destMail'],
    isOpen: true,
  },
  {
    name: 'delivery',
    fields: ['modeLiv', 'modeCol', 'shippingPickupPointCountry', 'shippingPickupPoint'],
    isOpen: true,
  },
  { name: 'shipment', fields: ['nbPackage', 'weight', 'nDossier', 'instruction', 'content'], isOpen: true },
  {
    name: 'sender',
    fields: ['expAddr1', 'expAddr2', 'expZip', 'expCity', 'expCountry', 'expTel1', 'expMail'],
    isOpen: false,
  },
  {
    name: 'more',
    fields: ['nClient', 'crtValue', 'pickupPointCountry', 'pickupPoint', 'destLang', 'expLang', 'apiVersion'],
    isOpen: false,
  },
];

const names: Readonly<Record<LabelField, readonly [english: string, french: string]>> = {
  modeCol: ['Collection', 'Enlèvement'],
  modeLiv: ['Delivery mode', 'Mode de livraison'],
  expLang: ['Language of the sender', 'Langue de l’expéditeur'],
  expAddr1: ['Name of the sender', 'Nom de l’expéditeur'],
  expAddr2: ['Street of the sender', 'Rue de l’expéditeur'],
  expCity: ['Town of the sender', 'Ville de l’expéditeur'],
  expZip: ['Postcode of the sender', 'Code postal de l’expéditeur'],
  expCountry: ['Country of the sender', 'Pays de l’expéditeur'],
  expTel1: ['Telephone of the sender', 'Téléphone de l’expéditeur'],
  expMail: ['E-mail of the sender', 'Courriel de l’expéditeur'],
  destLang: ['Language of the recipient', 'Langue du destinataire'],
  destAddr1: ['Name', 'Nom'],
  destAddr2: ['Street', 'Rue'],
  destCity: ['Town', 'Ville'],
  destZip: ['Postcode', 'Code postal'],
  destCountry: ['Country, two letters', 'Pays, deux lettres'],
  destTel1: ['Telephone', 'Téléphone'],
  destMail: ['E-mail', 'Courriel'],
  weight: ['Weight in grams, all parcels', 'Poids en grammes, tous colis'],
  nbPackage: ['Parcels', 'Colis'],
  crtValue: ['Cash on delivery, cents', 'Contre-remboursement, centimes'],
  pickupPointCountry: ['Country of the hand-in point', 'Pays du point de dépôt'],
  pickupPoint: ['Hand-in point', 'Point de dépôt'],
  shippingPickupPointCountry: ['Country of the pick-up point', 'Pays du point de retrait'],
  shippingPickupPoint: ['Pick-up point', 'Point de retrait'],
  nClient: ['Your number of the customer', 'Votre numéro de client'],
  nDossier: ['Your number of the shipment', 'Votre numéro d’envoi'],
  apiVersion: ['Version of the carrier’s interface', 'Version de l’interface du transporteur'],
  outputType: ['Output', 'Sortie'],
  outputFormat: ['Format', 'Format'],
  instruction: ['Instruction for the delivery', 'Consigne de livraison'],
  content: ['Content', 'Contenu'],
};

export function labelFieldName(field: LabelField, language: Language): string {
  return names[field][language === 'en' ? 0 : 1];
}

/** The parts of an order that a label takes over; missing ones are left out. */
export function draftOfOrder(order: Readonly<Record<string, unknown>>): LabelDraft {
  const text = (...fields: readonly string[]): string =>
    fields
      .map((field) => order[field])
      .filter((value): value is string => typeof value === 'string' && value !== '')
      .join(' ');
  const point = text('deliveryPickupPointID');
  return {
    destAddr1: text('deliveryAddressFirstname', 'deliveryAddressLastname') || text('deliveryAddressCompany'),
    destAddr2: text('deliveryAddressAddress1', 'deliveryAddressAddress2', 'deliveryAddressAddress3'),
    destZip: text('deliveryAddressPostalCode'),
    destCity: text('deliveryAddressCity'),
    destCountry: text('deliveryAddressCountry'),
    destTel1: text('deliveryAddressPhone'),
    destMail: text('deliveryAddressEmail'),
    nDossier: text('orderUniqueID'),
    instruction: text('transportInstruction'),
    nbPackage: '1',
    ...(point !== '' && {
      shippingPickupPoint: point,
      shippingPickupPointCountry: text('pickupPointCountryCode') || text('deliveryAddressCountry'),
    }),
  };
}
