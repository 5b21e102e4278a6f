// What a carrier's codes of collection and delivery mean, beside the codes themselves. A code whose meaning the carrier
// does not publish has no name.
import type { Language } from '../texts/texts.ts';

type ModeField = 'modeCol' | 'modeLiv';
type Names = Readonly<Record<string, readonly [english: string, french: string]>>;

/** A name of the carrier's own, which is the same in every language. */
function own(name: string): readonly [string, string] {
  return [name, name];
}

/**
 * By carrier and field. Sources: docs/carriers, and of UPS the service codes of its Shipping interface; of Colissimo
 * the product list of its shipping web service, and the kinds of points in its delivery options.
 */
export const modeNames: Readonly<Record<string, Readonly<Partial<Record<ModeField, Names>>>>> = {
  sandbox: {
    modeCol: {
      CCC: ['Collected at the sender', 'Enlèvement chez l’expéditeur'],
      REL: ['Handed in at a pick-up point', 'Dépôt en point relais'],
    },
    modeLiv: {
      HOM: ['Home delivery', 'Livraison à domicile'],
      '24R': ['Pick-up point', 'Point relais'],
      '24L': ['Pick-up point XL', 'Point relais XL'],
      LCC: ['Return to the sender', 'Retour à l’expéditeur'],
    },
  },
  colissimo: {
    modeLiv: {
      DOM: ['Home', 'Domicile'],
      DOS: ['Home, against signature', 'Domicile, contre signature'],
      HD: ['Pick-up point or locker', 'Point de retrait ou consigne'],
      COM: ['Overseas', 'Outre-mer'],
      CDS: ['Overseas, against signature', 'Outre-mer, contre signature'],
      ECO: ['Overseas, economy', 'Outre-mer, économique'],
      CORE: ['Return from France', 'Retour de France'],
      CORI: ['Return from abroad', 'Retour de l’étranger'],
      CORF: ['Return from France to abroad', 'Retour de France vers l’étranger'],
      CECO: ['France, economy', 'France, économique'],
      COLR: ['Flash, the next day', 'Flash, le lendemain'],
      'J+1': ['Flash, the next day, against signature', 'Flash, le lendemain, contre signature'],
      COLD: ['Home in France (older code)', 'Domicile en France (ancien code)'],
      COL: ['Home in France, against signature (older code)', 'Domicile en France, contre signature (ancien code)'],
      COLI: ['Expert International (older code)', 'Expert International (ancien code)'],
      ACCI: ['Economy to distant countries (older code)', 'Économique grand export (ancien code)'],
      BPR: ['Post office', 'Bureau de poste'],
      A2P: ['Pickup shop or locker', 'Relais ou consigne Pickup'],
      CMT: ['Pick-up point abroad', 'Point relais à l’étranger'],
      PCS: ['Locker abroad', 'Consigne à l’étranger'],
      BDP: ['Post office abroad', 'Bureau de poste à l’étranger'],
      ACP: ['Colissimo agency', 'Agence Colissimo'],
      CDI: ['Distribution centre of the post', 'Centre de distribution de La Poste'],
    },
  },
  dhl: {
    modeLiv: {
      V01PAK: own('DHL Paket'),
      'V01PAK-LOCKER': ['DHL Paket to a Packstation', 'DHL Paket, vers une Packstation'],
      'V01PAK-RETAIL': ['DHL Paket to a post office or shop', 'DHL Paket, vers un bureau de poste ou une boutique'],
      V62KP: own('DHL Kleinpaket'),
      V53WPAK: own('DHL Paket International'),
      'V53WPAK-PREMIUM': own('DHL Paket International Premium'),
      'V53WPAK-CDP': [
        'DHL Paket International to the closest drop point',
        'DHL Paket International, vers le point le plus proche',
      ],
      V54EPAK: own('DHL Europaket'),
      V66WPI: own('Warenpost International'),
      RETURN: ['DHL Retoure, return label', 'DHL Retoure, étiquette de retour'],
    },
  },
  dpd: {
    modeLiv: {
      CLASSIC: ['To the door', 'À l’adresse'],
      PREDICT: ['To the door, with a message before', 'À l’adresse, avec un message avant'],
      RELAIS: ['To a Pickup point', 'En relais Pickup'],
      RETURN: ['Return label', 'Étiquette de retour'],
    },
  },
  gls: {
    modeLiv: {
      PARCEL: own('Parcel'),
      FLEX: ['Parcel with FlexDelivery', 'Parcel avec FlexDelivery'],
      SHOP: ['To a parcel shop', 'En point relais'],
      SIGNATURE: ['Against signature', 'Contre signature'],
      ADDRESSEEONLY: ['To the recipient only', 'Au destinataire seul'],
      GUARANTEED24: own('Guaranteed24Service'),
      PRIVATE: own('PrivateDeliveryService'),
      RETURN: ['Return through a parcel shop', 'Retour par un point relais'],
      EXPRESS: own('Express'),
      EXPRESS0800: ['Express by 8:00', 'Express avant 8 h'],
      EXPRESS0900: ['Express by 9:00', 'Express avant 9 h'],
      EXPRESS1000: ['Express by 10:00', 'Express avant 10 h'],
      EXPRESS1200: ['Express by 12:00', 'Express avant 12 h'],
      EXPRESS1300: ['Express by 13:00', 'Express avant 13 h'],
      SATURDAY: ['Express on Saturday', 'Express le samedi'],
      SATURDAY0900: ['Express on Saturday by 9:00', 'Express le samedi avant 9 h'],
      SATURDAY1000: ['Express on Saturday by 10:00', 'Express le samedi avant 10 h'],
      SATURDAY1200: ['Express on Saturday by 12:00', 'Express le samedi avant 12 h'],
    },
  },
  ups: {
    modeLiv: {
      '01': own('Next Day Air'),
      '02': own('2nd Day Air'),
      '03': own('Ground'),
      '07': own('Express'),
      '08': own('Expedited'),
      '11': own('Standard'),
      '12': own('3 Day Select'),
      '13': own('Next Day Air Saver'),
      '14': own('Next Day Air Early'),
      '17': own('Worldwide Economy DDU'),
      '54': own('Express Plus'),
      '59': own('2nd Day Air A.M.'),
      '65': own('Saver'),
      '71': own('Worldwide Express Freight Midday'),
      '72': own('Worldwide Economy DDP'),
      '74': own('Express 12:00'),
      '82': own('Today Standard'),
      '83': own('Today Dedicated Courier'),
      '85': own('Today Express'),
      '86': own('Today Express Saver'),
      '96': own('Worldwide Express Freight'),
    },
  },
};

/**
 * A code with what it means: `HOM · Home delivery`. Where other codes of the field have names, a code without one says
 * so; the code alone where nothing is known of any.
 */
export function modeText(carrier: string, field: string, code: string, language: Language): string {
  const names = field === 'modeCol' || field === 'modeLiv' ? modeNames[carrier]?.[field] : undefined;
  if (names === undefined) return code;
  const name = names[code] ?? nameless;
  return `${code} · ${name[language === 'en' ? 0 : 1]}`;
}

const nameless = ['no name published', 'sans nom publié'] as const;
