// What Colissimo refuses in an order, one row per code, each with its source.
import { type JsonValue, textAt, valueAt } from '../../src/carriers/json.ts';

/**
 * Sources of a rule. `codes`: the description's table of error codes, as the CDI plugin and PH2M's Magento module print
 * it. `schema`: the JSON schemas of SlsServiceWS that La Poste publishes. `modules`: La Poste's own modules for
 * WooCommerce and Magento 2, which send or check it so. `recorded`: an answer in the tests of the client roulier.
 */
type Source = 'codes' | 'schema' | 'modules' | 'recorded';

interface Rule {
  readonly code: string;
  readonly wording: string;
  readonly sources: readonly Source[];
  readonly isBroken: (order: Order) => boolean;
}

interface Order {
  readonly product: string;
  readonly service: JsonValue | undefined;
  readonly parcel: JsonValue | undefined;
  readonly from: JsonValue | undefined;
  readonly to: JsonValue | undefined;
}

/** The first rule that an order breaks; null if it breaks none. */
export function ruleBroken(body: JsonValue): Pick<Rule, 'code' | 'wording'> | null {
  const service = valueAt(body, 'letter', 'service');
  const order: Order = {
    product: textAt(service, 'productCode'),
    service,
    parcel: valueAt(body, 'letter', 'parcel'),
    from: valueAt(body, 'letter', 'sender', 'address'),
    to: valueAt(body, 'letter', 'addressee', 'address'),
  };
  return rules.find(({ isBroken }) => isBroken(order)) ?? null;
}

/** Products that the recipient collects at a point. */
export function isPointProduct(product: string): boolean {
  return /^(HD|A2P|BPR|CMT|PCS|BDP|ACP|CDI)$/.test(product);
}

const products =
  /^(DOM|DOS|COM|CDS|ECO|CECO|COR[EIF]|COLR|J\+1|COPLAT(_J1)?|ACCI|COL[DIL]?|HD|A2P|BPR|CMT|PCS|BDP|ACP|CDI)$/;
/** Returns, for which the schema says that they name the receiving company. */
const isReturn = ({ product }: Order): boolean => /^COR[EI]$/.test(product);
const isPoint = ({ product }: Order): boolean => isPointProduct(product);
const has = (value: JsonValue | undefined, ...path: readonly string[]): boolean => textAt(value, ...path) !== '';
const country = ({ to }: Order): string => textAt(to, 'countryCode');

/** Formats of mobile numbers in the countries that have a rule. */
const mobiles: Readonly<Record<string, RegExp>> = { FR: /^(?:\+33|0033|0)[67]\d{8}$/, BE: /^\+324\d{8}$/ };

const rules: readonly Rule[] = [
  {
    code: '30015',
    wording: 'Le code produit est incorrect',
    sources: ['codes', 'recorded'],
    isBroken: ({ product }) => !products.test(product),
  },
  {
    code: '30301',
    wording: 'Le poids du colis est incorrect',
    // The modules write kilograms with two decimals; the recorded refusal is of a weight out of range.
    sources: ['codes', 'modules', 'recorded'],
    isBroken: ({ parcel }) => {
      const weight = textAt(parcel, 'weight');
      return !/^\d{1,2}(?:\.\d{1,2})?$/.test(weight) || Number(weight) < 0.01 || Number(weight) > 30;
    },
  },
  {
    code: '30323',
    wording: "Le type de choix retour n'a pas été transmis",
    sources: ['codes', 'modules'],
    isBroken: (order) => country(order) !== 'FR' && !has(order.service, 'returnTypeChoice'),
  },
  {
    code: '30324',
    wording: 'Le type de choix retour est incorrect',
    sources: ['codes', 'modules'],
    isBroken: ({ service }) =>
      has(service, 'returnTypeChoice') && !['2', '3'].includes(textAt(service, 'returnTypeChoice')),
  },
  {
    code: '30109',
    wording: 'Le pays ou code postal expéditeur ne permet pas d’effectuer un envoi',
    sources: ['codes', 'recorded'],
    isBroken: ({ from }) => textAt(from, 'zipCode') === '00000',
  },
  {
    code: '30213',
    wording: 'Le code pays ou le code postal du destinataire est incorrect pour le code produit fourni',
    sources: ['codes', 'recorded'],
    isBroken: ({ to }) => textAt(to, 'zipCode') === '00000',
  },
  {
    code: '30200',
    wording: "Le nom du destinataire n'a pas été transmis",
    sources: ['codes', 'schema', 'modules'],
    isBroken: (order) => !has(order.to, 'lastName') && (isPoint(order) || !has(order.to, 'companyName')),
  },
  {
    code: '30202',
    wording: "Le prénom du destinataire n'a pas été transmis",
    sources: ['codes', 'schema'],
    isBroken: (order) => isPoint(order) && !has(order.to, 'firstName'),
  },
  {
    code: '30222',
    wording: "Le courriel du destinataire n'a pas été transmis",
    sources: ['codes', 'schema'],
    isBroken: (order) => isPoint(order) && !has(order.to, 'email'),
  },
  {
    code: '30223',
    wording: 'Le courriel du destinataire est incorrect',
    sources: ['codes'],
    isBroken: ({ to }) => has(to, 'email') && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(textAt(to, 'email')),
  },
  {
    code: '30400',
    wording: "Le code point de retrait n'a pas été transmis",
    sources: ['codes', 'schema', 'modules'],
    isBroken: (order) => isPoint(order) && !has(order.parcel, 'pickupLocationId'),
  },
  {
    code: '30404',
    wording: "Le code du point de retrait n'est pas attendu pour ce produit",
    sources: ['schema', 'modules'],
    isBroken: (order) => !isPoint(order) && has(order.parcel, 'pickupLocationId'),
  },
  {
    code: '30018',
    wording: "Le nom commercial n'a pas été transmis",
    sources: ['codes', 'modules'],
    isBroken: (order) => isPoint(order) && !has(order.service, 'commercialName'),
  },
  {
    code: '30220',
    wording: "Le numéro de portable du destinataire n'a pas été transmis",
    sources: ['codes', 'modules', 'recorded'],
    isBroken: (order) => isPoint(order) && !has(order.to, 'mobileNumber'),
  },
  {
    code: '30221',
    wording: 'Le numéro de portable du destinataire est incorrect',
    sources: ['codes', 'modules'],
    isBroken: (order) =>
      has(order.to, 'mobileNumber') && mobiles[country(order)]?.test(textAt(order.to, 'mobileNumber')) === false,
  },
  {
    code: '30089',
    wording: "La raison social du destinataire n'a pas été transmise",
    sources: ['codes', 'schema'],
    isBroken: (order) => isReturn(order) && !has(order.to, 'companyName'),
  },
  {
    code: '30065',
    wording: "Le nom de l'expéditeur n'a pas été transmis",
    sources: ['codes', 'modules'],
    isBroken: (order) => isReturn(order) && !has(order.from, 'lastName'),
  },
  {
    code: '30043',
    wording: "Le prénom de l'expéditeur n'a pas été transmis",
    sources: ['codes', 'modules'],
    isBroken: (order) => isReturn(order) && !has(order.from, 'firstName'),
  },
  {
    code: '30045',
    wording: "L'email de l'expéditeur n'a pas été transmis",
    sources: ['codes', 'modules'],
    isBroken: (order) => isReturn(order) && !has(order.from, 'email'),
  },
  {
    code: '30600',
    wording: 'Le champ lastName contient un caractère invalide',
    sources: ['codes', 'recorded'],
    isBroken: ({ to }) => /[^\p{Script=Latin}\p{M}\p{N}\p{P}\p{S}\p{Zs}]/u.test(textAt(to, 'lastName')),
  },
];
