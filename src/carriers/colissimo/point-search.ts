// Colissimo's points near an address (findRDVPointRetraitAcheminement of its directory).
import { CarrierError, reasonAt, type CarrierAnswer, type CarrierRequest } from '../carrier.ts';
import { carrierError, unreadable } from '../carrier-messages.ts';
import { isJsonObject, type JsonValue, listAt, textAt, valueAt } from '../json.ts';
import { directoryPoint } from '../laposte/directory-points.ts';
import { frenchDay } from '../paris-time.ts';
import type { LabelField } from '../../model/shipping.ts';
import { openingHoursOf, type PickupPoint, type PointTask, spansIn, wholeOf } from '../points.ts';
import { askDirectory, directoryAnswer, title } from './points.ts';
import { pointProducts } from './rules.ts';

/** The weight sent to the directory when the request gives none. */
const usualGrams = 1000;

/** Asks for the points near an address; the directory returns about twenty. */
export function* findPoints({
  account,
  query,
  now,
}: PointTask): Generator<CarrierRequest, readonly PickupPoint[], CarrierAnswer> {
  if (query.destCity === '')
    throw new CarrierError('invalid', 'Colissimo looks for points in a town, which is missing.', {
      reasons: [reasonAt('destCity', 'required', 'destCity is needed: Colissimo looks for points in a town.')],
    });
  const answer = yield askDirectory(account, 'findRDVPointRetraitAcheminement', {
    address: query.destAddr2,
    zipCode: query.destZip,
    city: query.destCity,
    countryCode: query.destCountry,
    weight: String(wholeOf(query.weight) ?? usualGrams),
    shippingDate: frenchDay(now),
    // Partners of La Poste beside its own offices.
    filterRelay: '1',
    // Points abroad belong to partners.
    optionInter: query.destCountry === 'FR' ? '0' : '1',
    lang: 'FR',
  });
  return pointsIn(answer, pointProducts.includes(query.modeLiv) ? query.modeLiv : 'HD', query.destCountry);
}

/** Codes of the directory about a field of the question. */
const fieldsByCode: Readonly<Record<string, LabelField>> = {
  104: 'destZip',
  105: 'destCity',
  117: 'destCountry',
  120: 'weight',
  121: 'weight',
  125: 'destZip',
  129: 'destAddr2',
  143: 'destZip',
  144: 'destZip',
  145: 'destZip',
  146: 'destCountry',
  203: 'destCountry',
};
/** No point fits. */
const noneFound: readonly string[] = ['300', '301'];

function pointsIn(answer: CarrierAnswer, modeLiv: string, country: string): readonly PickupPoint[] {
  const { json, message } = directoryAnswer(answer);
  if (noneFound.includes(message.code)) return [];
  const field = Object.hasOwn(fieldsByCode, message.code) ? fieldsByCode[message.code] : undefined;
  if (field !== undefined)
    throw carrierError('invalid', `${title} does not understand the address`, message, {
      reasons: [reasonAt(field, 'refused', `Colissimo says of ${field}: "${message.text || message.code}".`)],
    });
  if (message.code !== '0') throw carrierError('unavailable', `${title} gave no points`, message);
  const list = valueAt(json, 'listePointRetraitAcheminement');
  if (!Array.isArray(list) && !isJsonObject(list) && list !== null) throw unreadable(title, 'no list of points');
  return listAt(json, 'listePointRetraitAcheminement').map((point) => pointOf(point, modeLiv, country));
}

const dayNames = ['Lundi', 'Mardi', 'Mercredi', 'Jeudi', 'Vendredi', 'Samedi', 'Dimanche'].map(
  (day) => `horairesOuverture${day}`,
);

/** Weights are grams. */
function pointOf(point: JsonValue, modeLiv: string, asked: string): PickupPoint {
  const read = (member: string): string => textAt(point, member);
  return directoryPoint(read, {
    modeLiv,
    country: read('codePays') || asked,
    weightUnit: 1,
    openingHours: dayNames.flatMap((name, index) => openingHoursOf(index + 1, spansIn(read(name)))),
  });
}
