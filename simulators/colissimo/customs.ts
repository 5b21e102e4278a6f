// What Colissimo refuses in a customs declaration, and where it requires one.
import { type JsonValue, listAt, textAt, valueAt } from '../../src/carriers/json.ts';
import { must, number, object, text } from '../json-shape.ts';

/**
 * Countries without a declaration. Source: `cn23` of resources/capabilitiesByCountryFR.json in La Poste's module for
 * WooCommerce; there, as here, Andorra, San Marino, the Canary Islands (IC) and the overseas departments need one.
 */
const undeclared: ReadonlySet<string> = new Set(
  `FR MC BE DE LU NL AT ES IE IT PT CZ DK EE HU LT LV PL SE SI SK BG CY FI GR HR MT RO`.split(' '),
);

/**
 * Members of `customsDeclarations`. Source: La Poste's own description of SlsServiceRest 3.1 (Article, Contents,
 * CustomsDeclarations), as api-evangelist/la-poste keeps it in openapi/_original.
 */
export const customsShape = object({
  includeCustomsDeclarations: must({ kind: 'boolean' }),
  numberOfCopies: number({ least: 1, most: 4, decimals: 0 }),
  contents: must(
    object({
      article: must({
        kind: 'list',
        of: object({
          description: must(text(64, { pattern: /^[\x20-\x7e]*$/ })),
          quantity: must(number({ decimals: 0 })),
          weight: must(number()),
          value: must(number()),
          hsCode: text(),
          originCountry: text(2, { pattern: /^[A-Z]{2}$/ }),
          currency: text(undefined, { choices: ['USD', 'EUR', 'CHF', 'GBP', 'CNY', 'JPY', 'CAD', 'AUD'] }),
          artref: text(35),
          originalIdent: must(text()),
        }),
      }),
      category: must(object({ value: must(number()) })),
      explanations: text(35),
      original: {
        kind: 'list',
        of: object({
          originalIdent: must(text()),
          originalInvoiceNumber: must(text()),
          originalInvoiceDate: must(text()),
          originalParcelNumber: must(text()),
        }),
      },
    }),
  ),
  invoiceNumber: text(35),
  comments: text(35),
});

/**
 * What is wrong with the declaration of an order; null if nothing is. Except for 30500, the numbers of its errors are
 * not published, so the others share one of the simulator's own.
 */
export function customsFault(order: JsonValue): { readonly code: string; readonly wording: string } | null {
  const to = valueAt(order, 'letter', 'addressee', 'address');
  const declaration = valueAt(order, 'letter', 'customsDeclarations');
  const articles = listAt(declaration, 'contents', 'article');
  const isNeeded = !undeclared.has(textAt(to, 'countryCode')) || isOverseas(to) || isCanary(to);
  if (isNeeded && (valueAt(declaration, 'includeCustomsDeclarations') !== true || articles.length === 0))
    return { code: '30500', wording: "Les informations sur le contenu du colis n'ont pas été transmises" };
  if (articles.length === 0) return null;
  // "Un code erreur 30519 apparaîtra dans la réponse du Web Service si la balise est mal renseignée."
  if (
    articles.some((article) => !isCode(textAt(article, 'hsCode'), textAt(declaration, 'contents', 'category', 'value')))
  )
    return { code: '30519', wording: "Le numéro tarifaire de l'article est incorrect" };
  const wrong = [
    ...articleFaults(articles),
    ...costFaults(order),
    ...categoryFaults(declaration),
    ...originFaults(declaration),
    ...americanFaults(order),
  ][0];
  return wrong === undefined ? null : { code: 'CN23', wording: wrong };
}

/** 6, 8 or 10 digits; mandatory for a sale (3). */
function isCode(code: string, category: string): boolean {
  return code === '' ? category !== '3' : /^(\d{6}|\d{8}|\d{10})$/.test(code);
}

/** Origins are mandatory for goods that are sold; the block of articles is repeated at most a hundred times. */
function originFaults(declaration: JsonValue | undefined): readonly string[] {
  const articles = listAt(declaration, 'contents', 'article');
  const isSale = textAt(declaration, 'contents', 'category', 'value') === '3';
  return [
    ...(isSale && articles.some((article) => textAt(article, 'originCountry') === '')
      ? ["Le pays d'origine de l'article est absent"]
      : []),
    ...(articles.length > 100 ? ["Le nombre d'articles est supérieur à 100"] : []),
  ];
}

/** To the United States the sender's EORI number, the mobile number and the state are mandatory. */
function americanFaults(order: JsonValue): readonly string[] {
  const to = valueAt(order, 'letter', 'addressee', 'address');
  if (textAt(to, 'countryCode') !== 'US') return [];
  const hasEori = listAt(order, 'fields', 'field').some((field) => textAt(field, 'key') === 'EORI');
  return [
    ...(hasEori ? [] : ["Le numéro EORI de l'expéditeur est obligatoire"]),
    ...(textAt(to, 'mobileNumber') === '' ? ['Le numéro de portable du destinataire est absent'] : []),
    ...(textAt(to, 'stateOrProvinceCode') === '' ? ["Le code de l'état du destinataire est absent"] : []),
  ];
}

/** The module for WooCommerce writes at least 10 g for a piece, and a value of at least one with two decimals. */
function articleFaults(articles: readonly JsonValue[]): readonly string[] {
  return articles.flatMap((article) => [
    ...(/^[1-9]\d*$/.test(textAt(article, 'quantity')) ? [] : ["La quantité de l'article est incorrecte"]),
    ...(Number(textAt(article, 'weight')) >= 0.01 ? [] : ["Le poids de l'article est incorrect"]),
    ...(/^\d+(\.\d{1,2})?$/.test(textAt(article, 'value')) && Number(textAt(article, 'value')) > 0
      ? []
      : ["La valeur de l'article est incorrecte"]),
  ]);
}

/** Source: the same module, which says "The Colissimo API rejects labels with a free shipping for the CN23". */
function costFaults(order: JsonValue): readonly string[] {
  const amount = textAt(order, 'letter', 'service', 'totalAmount');
  return /^[1-9]\d*$/.test(amount) ? [] : ["Le montant des frais d'envoi n'a pas été transmis"];
}

function categoryFaults(declaration: JsonValue | undefined): readonly string[] {
  const category = textAt(declaration, 'contents', 'category', 'value');
  const isReturn = category === '6';
  const isExplained = textAt(declaration, 'contents', 'explanations') !== '';
  return [
    // "A renseigner si la catégorie « retour de marchandise » ou « Autre » est choisie."
    ...((isReturn || category === '5') && !isExplained ? ["L'explication de la nature de l'envoi est absente"] : []),
    ...(/^[1-6]$/.test(category) ? [] : ["La nature de l'envoi est incorrecte"]),
    ...(isReturn && listAt(declaration, 'contents', 'original').length === 0
      ? ["Les informations de l'envoi d'origine n'ont pas été transmises"]
      : []),
  ];
}

function isOverseas(to: JsonValue | undefined): boolean {
  return textAt(to, 'countryCode') === 'FR' && /^9[78]/.test(textAt(to, 'zipCode')) && !isMonaco(to);
}

function isMonaco(to: JsonValue | undefined): boolean {
  return /^980/.test(textAt(to, 'zipCode'));
}

function isCanary(to: JsonValue | undefined): boolean {
  return textAt(to, 'countryCode') === 'ES' && /^3[58]/.test(textAt(to, 'zipCode'));
}
