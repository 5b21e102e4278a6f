// Reads where to look for points: the fields of a label request that name a place, and how many are wanted.
import type { PointQuery } from '../carriers/points.ts';
import { readText } from '../model/filter-values.ts';
import { invalidParameter, readWhole } from '../model/parameters.ts';
import { labelRequestFields } from '../model/shipping.ts';
import { characters } from '../model/text.ts';

/** Points per answer. */
export const pointLimits = { min: 1, max: 25, otherwise: 10 } as const;

const queryFields = ['destCountry', 'destZip', 'destCity', 'destAddr2', 'weight', 'modeLiv'] as const;

/** The parameters of a search for points. */
export const pointParameterNames: readonly string[] = [...queryFields, 'limit'];

/** What to look for. */
interface PointQueryInput {
  readonly query: PointQuery;
  readonly limit: number;
}

/**
 * @param given by name, each of `pointParameterNames`
 * @throws Problem `invalid-parameter`
 */
export function readPointQuery(given: ReadonlyMap<string, string>): PointQueryInput {
  const texts = Object.fromEntries(queryFields.map((name) => [name, textOf(name, given.get(name) ?? '')]));
  const { destCountry = '', destZip = '', destCity = '', destAddr2 = '', weight = '', modeLiv = '' } = texts;
  if (!/^[A-Z]{2}$/.test(destCountry))
    invalidParameter(
      'destCountry',
      "Parameter 'destCountry': expected a country as two capital letters (ISO 3166-1), such as FR.",
    );
  if (destZip === '') invalidParameter('destZip', "Parameter 'destZip': expected the postcode near which to look.");
  if (!/^\d{0,6}$/.test(weight) || weight === '0')
    invalidParameter('weight', "Parameter 'weight': expected grams of the heaviest parcel, in digits.");
  return {
    query: { destCountry, destZip, destCity, destAddr2, weight, modeLiv },
    limit: readWhole('limit', given.get('limit'), pointLimits),
  };
}

function textOf(name: (typeof queryFields)[number], given: string): string {
  const text = readText(given)?.trim();
  const { max } = labelRequestFields[name];
  if (text === undefined || /\p{Cc}/u.test(text) || characters(text) > max)
    return invalidParameter(name, `Parameter '${name}': expected a text of at most ${max} characters on one line.`);
  return text;
}
