// What Colissimo refuses of a customs declaration, and where it wants one.
import { type JsonValue, listAt, textAt, valueAt } from '../../src/carriers/json.ts';
import { must, object, text } from '../json-shape.ts';

/**
 * Countries without a declaration. Source: `cn23` of resources/capabilitiesByCountryFR.json in La Poste's module for
 * WooCommerce; there, as here, Andorra, San Marino, the Canary Islands (IC) and the overseas departments need one.
 */
const undeclared: ReadonlySet<string> = new Set(
  `FR MC BE DE LU NL AT ES IE IT PT CZ DK EE HU LT LV PL SE SI SK BG CY FI GR HR MT RO`.split(' '),
);

/**
 * Members of `customsDeclarations`. Source: requests that the client roulier has recorded
 * (test_full_customs_declarations and test_COM_product of its package colissimo_fr), and what the module for
 * WooCommerce sends (lpc_label_generation_payload.php): 64 characters of a description, 44 of a reference.
 */
export const customsShape = object({
  includeCustomsDeclarations: must({ kind: 'boolean' }),
  numberOfCopies: { kind: 'number' },
  contents: must(
    object({
      article: must({
        kind: 'list',
        of: object({
          description: must(text(64, { pattern: /^[\x20-\x7e]*$/ })),
          quantity: must({ kind: 'number' }),
          weight: must({ kind: 'number' }),
          value: must({ kind: 'number' }),
          hsCode: must(text(10, { pattern: /^\d{6,10}$/ })),
          originCountry: must(text(2, { pattern: /^[A-Z]{2}$/ })),
          currency: must(text(3, { pattern: /^[A-Z]{3}$/ })),
          artref: text(44),
          originalIdent: must(text()),
        }),
      }),
      category: must(object({ value: must({ kind: 'number' }) })),
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
  invoiceNumber: text(),
  comments: text(),
});

/**
 * What is wrong with the declaration of an order; null where nothing is. The numbers of its errors are not published
 * beyond 30500, so that the others have one of the simulator.
 */
export function customsFault(order: JsonValue): { readonly code: string; readonly wording: string } | null {
  const to = valueAt(order, 'letter', 'addressee', 'address');
  const declaration = valueAt(order, 'letter', 'customsDeclarations');
  const articles = listAt(declaration, 'contents', 'article');
  const isNeeded = !undeclared.has(textAt(to, 'countryCode')) || isOverseas(to) || isCanary(to);
  if (isNeeded && (valueAt(declaration, 'includeCustomsDeclarations') !== true || articles.length === 0))
    return { code: '30500', wording: "Les informations sur le contenu du colis n'ont pas été transmises" };
  if (articles.length === 0) return null;
  const wrong = [...articleFaults(articles), ...costFaults(order), ...categoryFaults(declaration)][0];
  return wrong === undefined ? null : { code: 'CN23', wording: wrong };
}

/** The module for WooCommerce writes at least 10 g of a piece, and a value of at least one with two decimals. */
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
  return [
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
