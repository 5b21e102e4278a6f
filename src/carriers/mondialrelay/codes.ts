// Every status code of Mondial Relay's two interfaces with our answer: who must act, on which fields, and how.
import { textBlock } from '../../model/text-block.ts';
import type { LabelField } from '../../model/shipping.ts';
import type { CarrierErrorKind } from '../carrier.ts';

/** What a code means for the client. */
export interface CodeAnswer {
  readonly kind: CarrierErrorKind;
  /** Fields that may be at fault; both the sender's and the recipient's if the carrier does not say which. */
  readonly fields: readonly LabelField[];
  readonly detail: string;
}

/**
 * A code of version 2. `level` is the one in the documentation, the answer's own decides: C critical error, E error, W
 * warning.
 */
interface RestCode extends CodeAnswer {
  readonly level: 'C' | 'E' | 'W';
}

/** What a code of version 1 means; an undocumented one is a refusal by the carrier. */
export function soapAnswer(code: string): CodeAnswer {
  return (
    (Object.hasOwn(soapCodes, code) ? soapCodes[code] : undefined) ?? {
      kind: 'refused',
      fields: [],
      detail:
        `Mondial Relay refused with code ${/^\w{1,9}$/.test(code) ? code : '?'}, which its documentation does not ` +
        'explain.',
    }
  );
}

/** What a code of version 2 means; an undocumented one is a refusal by the carrier. */
export function restAnswer(code: string): CodeAnswer {
  return (
    (Object.hasOwn(restCodes, code) ? restCodes[code] : undefined) ?? {
      kind: 'refused',
      fields: [],
      detail:
        `Mondial Relay refused with code ${/^-?\w{1,9}$/.test(code) ? code : '?'}, which its documentation does not ` +
        'explain.',
    }
  );
}

const names: readonly LabelField[] = ['expAddr1', 'destAddr1'];
const streets: readonly LabelField[] = ['expAddr2', 'destAddr2'];
const cities: readonly LabelField[] = ['expCity', 'destCity'];
const postcodes: readonly LabelField[] = ['expZip', 'destZip'];
const countries: readonly LabelField[] = ['expCountry', 'destCountry'];
const phones: readonly LabelField[] = ['expTel1', 'destTel1'];
const mails: readonly LabelField[] = ['expMail', 'destMail'];
const languages: readonly LabelField[] = ['expLang', 'destLang'];

const invalid = (fields: readonly LabelField[], what: string): CodeAnswer => ({
  kind: 'invalid',
  fields,
  detail: `Mondial Relay does not accept ${what}.`,
});
const refused = (fields: readonly LabelField[], detail: string): CodeAnswer => ({ kind: 'refused', fields, detail });
const operator = (detail: string): CodeAnswer => ({ kind: 'configuration', fields: [], detail });
const away = (detail: string): CodeAnswer => ({ kind: 'unavailable', fields: [], detail });
const ours = (what: string): CodeAnswer =>
  refused([], `Mondial Relay does not accept ${what}, which a label request has no field for.`);
const unknown: CodeAnswer = { kind: 'unknown', fields: [], detail: 'Mondial Relay knows no such parcel.' };

/** STAT of version 1. 0, and in tracking 80 to 83, are not failures. */
export const soapCodes: Readonly<Record<string, CodeAnswer>> = {
  1: operator('Mondial Relay does not accept the enseigne of the account; correct the setting enseigne.'),
  2: operator('Mondial Relay does not know the enseigne of the account; correct the setting enseigne.'),
  3: operator('Mondial Relay does not accept the account number; correct the setting enseigne.'),
  5: invalid(['nDossier'], 'the number of the shipment'),
  7: invalid(['nClient'], 'the number of the customer'),
  8: operator('Mondial Relay does not accept the signature; correct the settings enseigne and privateKey.'),
  9: invalid(cities, 'the city: it is unknown, or there are several of that name'),
  10: invalid(['modeCol'], 'the kind of collection'),
  11: invalid(['pickupPoint'], 'the relay of collection'),
  12: invalid(['pickupPointCountry'], 'the country of the relay of collection'),
  13: invalid(['modeLiv'], 'the kind of delivery'),
  14: invalid(['shippingPickupPoint'], 'the relay of delivery'),
  15: invalid(['shippingPickupPointCountry'], 'the country of the relay of delivery'),
  16: invalid(countries, 'the country'),
  17: invalid(streets, 'the address'),
  18: invalid(cities, 'the city'),
  19: invalid(postcodes, 'the postcode'),
  20: invalid(['weight'], 'the weight'),
  21: ours('the length'),
  22: ours('the size'),
  24: unknown,
  25: operator('The balance of the Mondial Relay account is too low; pay in, and try again.'),
  26: ours('the time of assembly'),
  27: invalid(['modeCol', 'modeLiv'], 'the kinds of collection and delivery together'),
  28: invalid(['modeCol'], 'the kind of collection'),
  29: invalid(['modeLiv'], 'the kind of delivery'),
  30: invalid(names, 'the name (address line 1) of the sender or of the recipient'),
  31: ours('address line 2'),
  33: invalid(streets, 'the street (address line 3) of the sender or of the recipient'),
  34: invalid(streets, 'the second line of the street (address line 4) of the sender or of the recipient'),
  35: invalid(cities, 'the city of the sender or of the recipient'),
  36: invalid(postcodes, 'the postcode of the sender or of the recipient'),
  37: invalid(countries, 'the country of the sender or of the recipient'),
  38: invalid(phones, 'the telephone of the sender or of the recipient'),
  39: invalid(mails, 'the e-mail of the sender or of the recipient'),
  40: refused([], 'Mondial Relay misses parameters, and does not say which.'),
  41: invalid(['modeLiv'], 'the kind of delivery'),
  42: invalid(['crtValue'], 'the amount of cash on delivery'),
  43: invalid(['crtValue'], 'the currency of cash on delivery'),
  44: ours('the value of the parcel'),
  45: ours('the currency of the value'),
  46: operator('The shipment numbers of the Mondial Relay account are used up; ask Mondial Relay for more.'),
  47: invalid(['nbPackage'], 'the number of parcels'),
  48: invalid(['nbPackage', 'modeLiv'], 'several parcels for this kind of delivery'),
  49: refused([], 'Mondial Relay does not accept the action.'),
  50: invalid(['destAddr1'], 'the name (address line 1) of the recipient'),
  51: ours('address line 2 of the recipient'),
  53: invalid(['destAddr2'], 'the street (address line 3) of the recipient'),
  54: invalid(['destAddr2'], 'the second line of the street (address line 4) of the recipient'),
  55: invalid(['destCity'], 'the city of the recipient'),
  56: invalid(['destZip'], 'the postcode of the recipient'),
  57: invalid(['destCountry'], 'the country of the recipient'),
  58: invalid(['destTel1'], 'the telephone of the recipient'),
  59: invalid(['destMail'], 'the e-mail of the recipient'),
  60: invalid(['content'], 'the text on the label'),
  61: ours('the flag of notification'),
  62: invalid(['instruction'], 'the instruction'),
  63: ours('the insurance'),
  64: ours('the time of assembly'),
  65: ours('the flag of appointment'),
  66: ours('the flag of take-back'),
  67: refused([], 'Mondial Relay does not accept the latitude.'),
  68: refused([], 'Mondial Relay does not accept the longitude.'),
  69: operator('Mondial Relay does not accept the code of the merchant; correct the setting enseigne.'),
  70: invalid(['pickupPoint', 'shippingPickupPoint'], 'the number of the relay'),
  71: refused([], 'Mondial Relay does not accept the kind of point of sale.'),
  72: invalid(['expLang'], 'the language of the sender'),
  73: invalid(['destLang'], 'the language of the recipient'),
  74: invalid(languages, 'the language'),
  78: invalid(['pickupPointCountry'], 'the country of collection'),
  79: invalid(['shippingPickupPointCountry'], 'the country of delivery'),
  ...Object.fromEntries(
    [84, 85, 86, 87, 88, 89].map((code) => [
      code,
      away('Mondial Relay answered with a state of tracking that its documentation keeps in reserve.'),
    ]),
  ),
  90: away('A system behind Mondial Relay does not answer; try again later.'),
  91: { ...unknown, detail: 'Mondial Relay does not accept the number of the shipment.' },
  92: operator(
    textBlock`
      The balance of the Mondial Relay account is too low, or the relay is not in the country of the recipient; pay in,
      and try again.
    `,
  ),
  93: refused(
    ['shippingPickupPoint', 'destZip'],
    'Mondial Relay has no way to this destination: the relay is not available, or the postcode is not known.',
  ),
  94: unknown,
  95: operator('The Mondial Relay account is not activated; ask Mondial Relay.'),
  96: operator('The kind of the Mondial Relay account is wrong on their side; ask Mondial Relay.'),
  97: operator('Mondial Relay does not accept the signature; correct the setting privateKey.'),
  98: refused([], 'Mondial Relay does not accept a value, and does not tell accounts in production which.'),
  99: away('Mondial Relay failed; try again later.'),
};

const critical = (answer: CodeAnswer): RestCode => ({ level: 'C', ...answer });
const error = (answer: CodeAnswer): RestCode => ({ level: 'E', ...answer });
const warning = (answer: CodeAnswer): RestCode => ({ level: 'W', ...answer });

/** Codes of version 2 except 0, with which its sandbox says that nothing was recorded. */
export const restCodes: Readonly<Record<string, RestCode>> = {
  '-1': critical(away('Mondial Relay failed severely; try again later, or ask its service centre.')),
  10000: critical(operator('Mondial Relay does not let the account in; correct the settings login and password.')),
  10001: critical(operator('Mondial Relay does not let the account in; correct the settings login and password.')),
  10002: critical(operator('Mondial Relay does not accept the customer number; correct the setting customerId.')),
  10003: critical(operator('Mondial Relay does not accept the culture; correct the setting culture.')),
  10004: critical(
    operator('Mondial Relay does not accept version 1.0 of its interface any more; this program must be updated.'),
  ),
  10005: critical(operator('Mondial Relay does not know the customer number; correct the setting customerId.')),
  10006: critical(operator('Mondial Relay does not know the culture; correct the setting culture.')),
  10007: critical(operator('Mondial Relay does not know version 1.0 of its interface; this program must be updated.')),
  10008: warning(invalid(['outputFormat'], 'the format of the label')),
  10009: error(invalid(['outputType'], 'a request without an output type')),
  10010: error(invalid(['outputType'], 'the output type')),
  10011: error(away('Mondial Relay found no shipment in the request; this is a fault of the program.')),
  10012: error(invalid(['expAddr1'], 'a shipment without a sender')),
  10013: error(invalid(['destAddr1'], 'a shipment without a recipient')),
  10014: warning(invalid(['nDossier'], 'the number of the shipment')),
  10015: warning(invalid(['nClient'], 'the number of the customer')),
  10016: error(invalid(['nbPackage'], 'a shipment without a number of parcels')),
  10017: error(invalid(['nbPackage'], 'the number of parcels')),
  10018: warning(ours('the amount of the value')),
  10019: warning(ours('the value of the shipment')),
  10020: warning(ours('the currency of the value')),
  10021: warning(ours('the key of an option')),
  10022: warning(ours('the value of an option')),
  10023: error(invalid(['modeLiv'], 'a shipment without a kind of delivery')),
  10024: error(invalid(['modeLiv'], 'the kind of delivery')),
  10025: warning(invalid(['shippingPickupPoint'], 'the relay of delivery')),
  10026: error(invalid(['modeCol'], 'a shipment without a kind of collection')),
  10027: error(invalid(['modeCol'], 'the kind of collection')),
  10028: warning(invalid(['pickupPoint'], 'the relay of collection')),
  10029: warning(invalid(['content'], 'the description of the content')),
  10030: warning(ours('the length')),
  10031: warning(ours('the width')),
  10032: warning(ours('the depth')),
  10033: error(invalid(['weight'], 'a parcel without a weight')),
  10034: error(invalid(['weight'], 'the weight')),
  10035: warning(invalid(['instruction'], 'the instruction')),
  10036: warning(ours('the title of an address')),
  10037: warning(ours('the first name of an address')),
  10038: warning(ours('the last name of an address')),
  10039: error(invalid(streets, 'the street of the sender or of the recipient')),
  10040: error(invalid(streets, 'an address without a street')),
  10041: warning(ours('the house number of an address')),
  10042: error(invalid(countries, 'the country of the sender or of the recipient')),
  10043: error(invalid(countries, 'an address without a country')),
  10044: error(invalid(postcodes, 'the postcode of the sender or of the recipient')),
  10045: error(invalid(postcodes, 'an address without a postcode')),
  10046: error(invalid(cities, 'the city of the sender or of the recipient')),
  10047: error(invalid(cities, 'an address without a city')),
  10048: warning(invalid(names, 'the name of the sender or of the recipient')),
  10049: warning(invalid(streets, 'the second line of the street of the sender or of the recipient')),
  10050: warning(invalid(streets, 'the third line of the street of the sender or of the recipient')),
  10051: warning(invalid(phones, 'the telephone of the sender or of the recipient, or it is missing')),
  10052: warning(invalid(phones, 'the mobile telephone of the sender or of the recipient')),
  10053: warning(invalid(mails, 'the e-mail of the sender or of the recipient')),
  10054: error(
    refused(
      [...streets, ...postcodes, ...cities],
      'Mondial Relay does not know the address of the sender or of the recipient.',
    ),
  ),
  10055: error(
    refused(['expZip', 'expCity', 'expCountry'], 'Mondial Relay has no way from the address of the sender.'),
  ),
  10056: error(
    refused(['destZip', 'destCity', 'destCountry'], 'Mondial Relay has no way to the address of the recipient.'),
  ),
  10057: error(refused([], 'Mondial Relay says that the shipment needs no routing, and makes none.')),
  10058: error(away('Mondial Relay did not complete the routing of the shipment; try again later.')),
  10059: error(refused([], 'Mondial Relay does not take the shipment: routing is denied.')),
  10060: error(away('Mondial Relay could not make the label; try again later.')),
  10061: error(away('Mondial Relay could not read the request; this is a fault of the program.')),
  10062: warning(invalid(names, 'a name of more than 30 characters')),
  10063: error(invalid(streets, 'a street of this length')),
  10065: error(away('Mondial Relay counts other parcels than the request says; this is a fault of the program.')),
  10066: error(operator('The Mondial Relay account may not do this; ask Mondial Relay for the right.')),
  10067: error(operator('Mondial Relay has no configuration for this account; ask Mondial Relay.')),
  10068: error(away('The partner of Mondial Relay gave no barcode; try again later.')),
  10069: warning(refused(postcodes, 'The partner of Mondial Relay changed the postcode.')),
  10070: error(
    refused(['nbPackage', 'modeLiv'], 'Mondial Relay does not take several parcels with this kind of delivery.'),
  ),
  10071: error(refused(['pickupPoint'], 'Mondial Relay does not know the relay of collection.')),
  10072: error(
    refused(['shippingPickupPoint', 'pickupPoint'], 'The contract of this account does not include the relay.'),
  ),
  10073: error(
    refused(['shippingPickupPoint', 'pickupPoint'], 'The relay does not take this shipment; choose another one.'),
  ),
  10074: error(refused(['modeLiv'], 'Mondial Relay has no relay for this kind of delivery.')),
  10075: error(
    refused(['shippingPickupPoint', 'modeLiv'], 'The relay does not take this kind of delivery; choose another one.'),
  ),
  10076: error(refused(['modeLiv'], 'Mondial Relay does not allow an option with this kind of delivery.')),
  10077: error(invalid(['outputFormat'], 'this format: it has no such label')),
  10078: error(away('Mondial Relay has no label for the shipment.')),
  10079: error(refused(['destCountry'], 'The contract of this account does not include the country.')),
  10080: error(away('The PDF of the label is not available at Mondial Relay; try again later.')),
  10081: error(away('The partner of Mondial Relay cannot be reached; try again later.')),
  10085: error(invalid(phones, 'a shipment of this kind without a telephone of the recipient')),
  10090: error(
    refused(
      ['destCountry'],
      'Mondial Relay wants the size of the parcel for this country, which a label request has no field for.',
    ),
  ),
  99998: error(away('Mondial Relay could not read the request; this is a fault of the program.')),
  99999: critical(away('Mondial Relay failed; try again later, or ask its service centre.')),
};
