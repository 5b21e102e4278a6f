// The shapes of sender and recipient in DHL's shipments, and the answer to a shipment that is only judged.
import { must, object, text } from './json-shape.ts';

const letters3 = /^[A-Z]{3}$/;
/** Source: Shipper and ContactAddress in the description of Parcel DE Shipping v2, from clients generated from it. */
export const place = {
  name1: must(text(50)),
  name2: text(50),
  name3: text(50),
  addressStreet: must(text(50)),
  addressHouse: text(10),
  postalCode: text(10, { pattern: /^[0-9A-Za-z]+([ -]?[0-9A-Za-z]+)*$/ }),
  city: must(text(40)),
  country: must(text(3, { pattern: letters3 })),
  email: text(80),
};
export const contact = must(
  object({
    ...place,
    additionalAddressInformation1: text(60),
    additionalAddressInformation2: text(60),
    phone: text(20),
  }),
);
const point = {
  name: must(text(50)),
  city: must(text(80)),
  postalCode: must(text(10)),
  country: text(3, { pattern: letters3 }),
};
export const locker = must(
  object({ ...point, lockerID: must({ kind: 'number' }), postNumber: must(text(10, { pattern: /^\d{6,10}$/ })) }),
);
export const retail = must(
  object({
    ...point,
    retailID: must({ kind: 'number' }),
    postNumber: text(10, { pattern: /^\d{6,10}$/ }),
    email: text(80),
  }),
);

/** The answer to a correct shipment that is only judged (parameter validate). */
export const judgedShipment = () => ({ sstatus: { status: 200 } }) as const;
