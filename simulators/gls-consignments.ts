// Which customs declarations GLS's simulator accepts: the Customs API 3.3.
import { type JsonObject, type JsonValue, listAt, parseJson, textAt, valueAt } from '../src/carriers/json.ts';
import type { GlsParcel } from './gls-end-of-day.ts';
import { must, number, object, type Shape, type ShapeFault, shapeFaults, text } from './json-shape.ts';
import { incotermCodes } from './gls-shapes.ts';
import type { SimulatorAnswer, SimulatorRequest } from './server.ts';

export const consignmentPath = '/customs-management/export/public/v3/customs-consignments';

const weight = object({ amount: must(number({ least: 0, decimals: 3 })), unit: text(3, { choices: ['KGM'] }) });
const address = object({
  name1: must(text(50)),
  name2: text(50),
  street1: must(text(50)),
  street2: text(50),
  houseNumber: text(20),
  postcode: must(text(20)),
  city1: must(text(50)),
  stateOrRegion: text(20),
  countryCode: must(text(2, { pattern: /^[A-Z]{2}$/ })),
});
const contactPerson = object({
  name: text(50),
  emailAddress: text(50),
  phoneCountryPrefix: text(10),
  phoneNumber: text(50),
  mobileCountryPrefix: text(10),
  mobileNumber: text(50),
});
const flag = { kind: 'boolean' } as const;
const party = {
  address: must(address),
  contactPerson: must(contactPerson),
  eoriNumber: text(50),
  taxId: text(50),
  isCommercial: must(flag),
};

/**
 * Source: GLS's description of its Customs API 3.3.0 (`CustomsConsignment`, `CustomsLineItem`), as Karrio keeps it with
 * its connector gls (vendor/customs-consignments-v3.yaml). A contact has a name, and a telephone or an e-mail.
 */
const shape: Shape = must(
  object({
    customerReference: text(50),
    parcelNumbers: must({ kind: 'list', of: text(undefined, { pattern: /^(?:\d{11}|[A-Z0-9]{8})$/ }) }),
    additionalInformation: text(),
    isExportDeclarationRequested: flag,
    saveAsDraft: flag,
    glsIncotermCode: must(text(2, { choices: incotermCodes })),
    totalGrossWeight: must(weight),
    exporter: must(object({ ...party, vatRegistrationNumber: text(50) })),
    importer: must(object(party)),
    invoice: must(
      object({
        invoiceNumber: must(text(50)),
        invoiceDate: must(text(undefined, { pattern: /^\d{4}-\d\d-\d\d$/ })),
        totalGoodsValue: must(object({ amount: must(number({ decimals: 2 })), currency: must(currencyCode()) })),
      }),
    ),
    lineItems: must({
      kind: 'list',
      of: object({
        quantity: must(object({ amount: must(number()), unit: must(text(undefined, { choices: ['PCE'] })) })),
        commodityCode: must(text(8, { pattern: /^\d{8}$/ })),
        goodsDescription: must(text(1000)),
        countryOfOrigin: must(text(2, { pattern: /^[A-Z]{2}$/ })),
        valueInInvoiceCurrency: must(number({ decimals: 2 })),
        grossWeight: must(weight),
        netWeight: must(weight),
      }),
    }),
  }),
);

function currencyCode(): Shape {
  return text(3, { pattern: /^[A-Z]{3}$/ });
}

/**
 * Answers post-customs-consignments. The importer called FORBIDDEN stands for an application without permission for
 * this interface, which gets the answer that GLS's gateway gave to others; parcels are those made here.
 */
export function declare({ headers, body }: SimulatorRequest, known: readonly GlsParcel[]): SimulatorAnswer {
  if (headers['content-type'] !== 'application/json') return { status: 415, body: '' };
  const consignment = parseJson(body);
  if (textAt(consignment, 'importer', 'address', 'name1') === 'FORBIDDEN')
    return { status: 403, body: { errors: [{ code: '403', message: 'Credential not allowed to access API' }] } };
  const faults = [...shapeFaults(consignment, shape).map(problemOf), ...faultsOf(consignment, known)];
  if (faults.length === 0) return { status: 201, body: { key: '6OEco7YAwmaKke2aCAOEdQ' } };
  return {
    status: 400,
    headers: { 'Content-Type': 'application/problem+json' },
    body: JSON.stringify({
      status: '400',
      type: '/problems/validation_error',
      title: 'customs consignment data contained validation problems',
      errors: faults,
    }),
  };
}

function problemOf({ path, what }: ShapeFault): JsonObject {
  const field = path.replaceAll(/[.[\]]+/g, '/').replace(/\/$/, '');
  return { field, code: what === 'missing' ? 'MISSING_FIELD' : 'INVALID_DATA', message: `The field is ${what}` };
}

function faultsOf(consignment: JsonValue | undefined, known: readonly GlsParcel[]): readonly JsonObject[] {
  const numbers = listAt(consignment, 'parcelNumbers').map((one) => textAt(one));
  const lines = listAt(consignment, 'lineItems').length;
  const isKnown = numbers.every((one) => known.some(({ number: own, trackId }) => one === trackId || one === own));
  return [
    ...(numbers.length > 0 && isKnown ? [] : [wrong('parcelNumbers', 'Unknown parcel number')]),
    ...(lines >= 1 && lines <= 999 ? [] : [wrong('lineItems', 'Must have 1 to 999 elements')]),
    ...['exporter', 'importer'].flatMap((side) => contactFaults(valueAt(consignment, side, 'contactPerson'), side)),
  ];
}

function contactFaults(contact: JsonValue | undefined, side: string): readonly JsonObject[] {
  const isReachable = ['emailAddress', 'phoneNumber', 'mobileNumber'].some((name) => textAt(contact, name) !== '');
  return textAt(contact, 'name') !== '' && isReachable
    ? []
    : [wrong(`${side}/contactPerson`, 'Name and either phone number or e-mail address are mandatory')];
}

function wrong(field: string, message: string): JsonObject {
  return { field, code: 'INVALID_DATA', message };
}
