// The delivery slips (bordereaux) of the simulator for Colissimo: which parcels may be on one, and what it says.
// Members and the refusal of a number that is not known (50031) are those of answers that the client `roulier` has
// recorded.
import { type JsonObject, type JsonValue, valueAt } from '../../src/carriers/json.ts';

/** Why there is no slip; null: there is one. */
export function slipRefusal(
  body: JsonValue,
  isKnown: (parcelNumber: string) => boolean,
): { readonly code: string; readonly wording: string } | null {
  const numbers = numbersIn(body);
  const wrong = numbers.find((number) => !isKnown(number));
  if (numbers.length > 0 && wrong === undefined) return null;
  return { code: '50031', wording: `Numéro de colis invalide ${wrong ?? ''}`.trimEnd() };
}

/** What a slip says. @param at milliseconds since 1970 */
export function slipTexts(
  body: JsonValue,
  number: number,
  at: number,
): { readonly header: JsonObject; readonly lines: readonly string[] } {
  const numbers = numbersIn(body);
  return {
    header: { bordereauNumber: number, publishingDate: at, numberOfParcels: numbers.length },
    lines: [
      'DEMO - simulator for Colissimo',
      `Bordereau ${number}`,
      `${numbers.length} colis`,
      ...numbers.slice(0, 15),
    ],
  };
}

function numbersIn(body: JsonValue): readonly string[] {
  const given = valueAt(body, 'generateBordereauParcelNumberList', 'parcelsNumbers');
  return Array.isArray(given) ? given.map(String) : [];
}
