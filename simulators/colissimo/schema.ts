// The JSON members of an order at Colissimo's label service, with the lengths of its description ("AN1...35").
import { must, object, text } from '../json-shape.ts';
import { customsShape } from './customs.ts';

const lines = {
  companyName: text(35),
  lastName: text(35),
  firstName: text(29),
  line0: text(35),
  line1: text(35),
  line2: must(text(35)),
  line3: text(35),
  countryCode: must(text(2)),
  city: must(text(35)),
  zipCode: must(text(9)),
  phoneNumber: text(),
  mobileNumber: text(),
  email: text(),
  language: text(2),
};
/** Source: the JSON schemas of SlsServiceWS that La Poste publishes (Address, Addressee, Sender, Service, Parcel). */
export const orderShape = must(
  object({
    contractNumber: text(),
    password: text(),
    outputFormat: must(
      object({
        x: { kind: 'number' },
        y: { kind: 'number' },
        outputPrintingType: must(
          text(undefined, {
            pattern: /^(PDF_(10x15|A4|10x10|10x12)_300dpi|(ZPL|DPL)_(10x15|10x10|10x12)_(203|300)dpi)$/,
          }),
        ),
      }),
    ),
    letter: must(
      object({
        service: must(
          object({
            productCode: must(text()),
            depositDate: must(text(undefined, { pattern: /^\d{4}-\d\d-\d\d$/ })),
            orderNumber: text(30),
            commercialName: text(),
            returnTypeChoice: { kind: 'number' },
            totalAmount: { kind: 'number' },
            transportationAmount: { kind: 'number' },
          }),
        ),
        parcel: must(
          object({
            weight: must({ kind: 'number' }),
            pickupLocationId: text(),
            instructions: text(35),
            // In lower case, as the clients roulier and scraper-colissimo send them; SOAP has COD and CODAmount.
            cod: { kind: 'boolean' },
            codamount: { kind: 'number' },
            ftd: { kind: 'boolean' },
            insuranceValue: { kind: 'number' },
          }),
        ),
        customsDeclarations: customsShape,
        sender: must(object({ senderParcelRef: text(17), address: must(object(lines)) })),
        addressee: must(object({ addresseeParcelRef: text(15), address: must(object(lines)) })),
      }),
    ),
    fields: object({ field: { kind: 'list', of: object({ key: must(text()), value: must(text()) }) } }),
  }),
);
