// Checks a shipment as version 2 does, each fault with its status code and level.
import { xmlChild, xmlChildren, type XmlElement, xmlValue } from '../../src/carriers/xml/element.ts';

export interface CheckedStatus {
  readonly code: string;
  readonly level: 'Error' | 'Critical Error' | 'Warning';
  readonly message: string;
}

const error = (code: string, message: string): CheckedStatus => ({ code, level: 'Error', message });
const warning = (code: string, message: string): CheckedStatus => ({
  code,
  level: 'Warning',
  message: `${message} Statement ignored.`,
});

/** Element → its children in the order of the schema. */
const schema: Readonly<Record<string, readonly string[]>> = {
  ShipmentCreationRequest: ['Context', 'OutputOptions', 'ShipmentsList'],
  Context: ['Login', 'Password', 'CustomerId', 'Culture', 'VersionAPI'],
  OutputOptions: ['OutputFormat', 'OutputType'],
  ShipmentsList: ['Shipment'],
  Shipment: [
    'Options',
    'OrderNo',
    'CustomerNo',
    'ParcelCount',
    'ShipmentValue',
    'DeliveryMode',
    'CollectionMode',
    'Parcels',
    'DeliveryInstruction',
    'Sender',
    'Recipient',
  ],
  Options: ['Option'],
  Parcels: ['Parcel'],
  Parcel: ['Content', 'Length', 'Width', 'Depth', 'Weight'],
  Sender: ['Address'],
  Recipient: ['Address'],
  Address: [
    'Title',
    'Firstname',
    'Lastname',
    'Streetname',
    'HouseNo',
    'CountryCode',
    'PostCode',
    'City',
    'AddressAdd1',
    'AddressAdd2',
    'AddressAdd3',
    'PhoneNo',
    'MobileNo',
    'Email',
  ],
};

/** The first element that is not at its place in the schema, null if all are. */
export function misplaced(element: XmlElement): string | null {
  const names = Object.hasOwn(schema, element.name) ? (schema[element.name] ?? []) : [];
  const places = element.children.map(({ name }) => names.indexOf(name));
  const wrong = element.children.find(
    (child, index) =>
      child.namespace !== 'http://www.example.org/Request' ||
      (places[index] ?? -1) < (index === 0 ? 0 : (places[index - 1] ?? 0)),
  );
  if (wrong !== undefined) return wrong.name;
  return element.children.map(misplaced).find((found) => found !== null) ?? null;
}

/**
 * Everything that is wrong with a shipment, in the order of its elements.
 * Source: Mondial Relay's own description of version 2 ("Dual Carrier Web Service" 2.7.1, June 2024).
 */
export function shipmentStatuses(shipment: XmlElement): readonly CheckedStatus[] {
  const delivery = xmlChild(shipment, 'DeliveryMode')?.attributes;
  const mode = delivery?.get('Mode') ?? '';
  return [
    ...(/^[0-9A-Z_-]{0,15}$/.test(xmlValue(shipment, 'OrderNo')) ? [] : [warning('10014', 'Invalid order number.')]),
    ...(/^[0-9A-Z]{0,9}$/.test(xmlValue(shipment, 'CustomerNo'))
      ? []
      : [warning('10015', 'Invalid customer reference.')]),
    ...wayStatuses(shipment, mode, delivery?.get('Location') ?? ''),
    ...parcelStatuses(shipment, mode),
    ...(xmlValue(shipment, 'DeliveryInstruction').length <= 30
      ? []
      : [warning('10035', 'Invalid delivery Instruction.')]),
    ...addressStatuses(xmlChild(shipment, 'Sender', 'Address'), false, '10012'),
    ...addressStatuses(xmlChild(shipment, 'Recipient', 'Address'), mode === 'HOM', '10013'),
    ...(xmlValue(shipment, 'Recipient', 'Address', 'PostCode') === '00000'
      ? [error('10056', 'Unable to determine transportation plan for this receiver address.')]
      : []),
  ];
}

function wayStatuses(shipment: XmlElement, mode: string, location: string): readonly CheckedStatus[] {
  const collection = xmlChild(shipment, 'CollectionMode')?.attributes;
  const isRelay = ['24R', '24L', 'XOH'].includes(mode);
  // A relay has a number; no client writes FR-AUTO.
  const place = /^(?:[A-Z]{2}-(?!AUTO$)[0-9A-Z]{1,7})?$/;
  return [
    ...(mode === ''
      ? [error('10023', 'No delivery mode defined in the request.')]
      : ['LCC', 'HOM', '24R', '24L', 'XOH'].includes(mode)
        ? []
        : [error('10024', 'Invalid delivery mode defined in the request.')]),
    ...(isRelay && location === '' ? [error('10074', 'No allowed location for this product code.')] : []),
    ...(place.test(location)
      ? []
      : [
          isRelay
            ? error('10073', 'Location not allowed for this shipment.')
            : warning('10025', 'Invalid location for the delivery mode.'),
        ]),
    ...(/-0+$/.test(location) ? [error('10073', 'Location not allowed for this shipment.')] : []),
    ...(collection?.get('Mode') === undefined
      ? [error('10026', 'No Collection Mode defined in the request.')]
      : ['CCC', 'REL'].includes(collection.get('Mode') ?? '')
        ? []
        : [error('10027', 'Invalid Collection Mode defined in the request.')]),
    // Clients of version 2 write AUTO here, without a country, or nothing.
    ...(collection?.get('Location') === 'AUTO' || place.test(collection?.get('Location') ?? '')
      ? []
      : [warning('10028', 'Invalid location for the collection mode.')]),
  ];
}

function parcelStatuses(shipment: XmlElement, mode: string): readonly CheckedStatus[] {
  const count = xmlValue(shipment, 'ParcelCount');
  const parcels = xmlChildren(xmlChild(shipment, 'Parcels'), 'Parcel');
  const weights = parcels.map((parcel) => xmlChild(parcel, 'Weight')?.attributes);
  return [
    ...(count === ''
      ? [error('10016', 'No parcel count defined in the shipment entity.')]
      : !/^[0-9]{1,2}$/.test(count) || Number(count) === 0
        ? [error('10017', 'Invalid parcel count.')]
        : []),
    ...(parcels.length === Number(count)
      ? []
      : [error('10065', 'The number of parcel elements is different from the parcelCount.')]),
    ...(Number(count) > 1 && !['24L', 'LD1', 'LDS'].includes(mode)
      ? [error('10070', 'Multi parcels forbidden for this product code.')]
      : []),
    ...(parcels.every((parcel) => xmlValue(parcel, 'Content').length <= 40)
      ? []
      : [warning('10029', 'Invalid content.')]),
    ...(weights.some((weight) => weight === undefined)
      ? [error('10033', 'No weight defined in the parcel element.')]
      : []),
    ...(weights.every(
      (weight) =>
        weight === undefined ||
        (/^[0-9]{1,10}$/.test(weight.get('Value') ?? '') &&
          Number(weight.get('Value')) >= 10 &&
          weight.get('Unit') === 'gr'),
    )
      ? []
      : [error('10034', 'Invalid weight.')]),
  ];
}

const names = /^[0-9A-Z_\-'., /]*$/i;

function isFreeLine(text: string): boolean {
  return text.length <= 30 && names.test(text);
}

function addressStatuses(
  address: XmlElement | null,
  isPhoneNeeded: boolean,
  missing: string,
): readonly CheckedStatus[] {
  if (address === null) return [error(missing, 'No address defined in the shipment request.')];
  const of = (name: string): string => xmlValue(address, name);
  const person = `${of('Title')}${of('Firstname')}${of('Lastname')}`;
  const needed = (name: string, pattern: RegExp, none: string, invalid: string): readonly CheckedStatus[] => {
    if (of(name) === '') return [error(none, `No ${name} defined in the address.`)];
    return pattern.test(of(name)) ? [] : [error(invalid, `Invalid ${name} defined in the address.`)];
  };
  return [
    ...(person.length > 30 ? [warning('10062', 'Names should not be greater than 30 characters.')] : []),
    ...needed('Streetname', names, '10040', '10039'),
    ...(`${of('HouseNo')}${of('Streetname')}`.length > 40 ? [error('10063', 'HouseNo + StreetName too long.')] : []),
    ...needed('CountryCode', /^[A-Z]{2}$/, '10043', '10042'),
    ...needed('PostCode', /^[0-9A-Za-z_\-']{2,10}$/, '10045', '10044'),
    ...needed('City', /^[A-Za-z_\-' ]{2,30}$/, '10047', '10046'),
    ...(person === '' && (of('AddressAdd1') === '' || of('AddressAdd1').length > 30 || !names.test(of('AddressAdd1')))
      ? [warning('10048', 'Invalid Additional address field 1 defined in the address.')]
      : []),
    ...(isFreeLine(of('AddressAdd2')) ? [] : [warning('10049', 'Invalid Additional address field 2.')]),
    ...(isFreeLine(of('AddressAdd3')) ? [] : [warning('10050', 'Invalid Additional address field 3.')]),
    ...(of('PhoneNo') === '' && isPhoneNeeded
      ? [{ code: '10051', level: 'Error', message: 'Service_Expedition_DomicileTelephoneRequis' } as const]
      : []),
    ...(of('PhoneNo') === '' && missing === '10013' && of('CountryCode') === 'PL'
      ? [error('10085', 'A Mandatory phone number is missing')]
      : []),
    ...(of('PhoneNo') === '' || isPhone(of('PhoneNo'))
      ? []
      : [warning('10051', 'Invalid phone number defined in the address.')]),
    ...(of('MobileNo') === '' || isPhone(of('MobileNo'))
      ? []
      : [warning('10052', 'Invalid mobile number defined in the address.')]),
    ...(of('Email') === '' || /^[\w\-.@]{7,70}$/.test(of('Email'))
      ? []
      : [warning('10053', 'Invalid email defined in the address.')]),
    ...(missing === '10013' && of('CountryCode') === 'PL'
      ? [error('10090', 'ParcelSize : Dimensions are missing or are incorrect')]
      : []),
  ];
}

/** Prefix and the rest of a number, per country. */
function isPhone(text: string): boolean {
  if (!/^\+\d{3,20}$/.test(text)) return false;
  const national: Readonly<Record<string, RegExp>> = {
    '+33': /^[1-9][0-9]{8}$/,
    '+34': /^[1-9][0-9]{8}$/,
    '+32': /^[4]?[0-9]{8}$/,
    '+49': /^[0-9]{5,11}$/,
    '+352': /^[0-9]{5,9}$/,
    '+351': /^[0-9]{5,9}$/,
    '+43': /^[0-9]{4,13}$/,
    '+44': /^[0-9]{7,10}$/,
    '+39': /^[0-9]{9,10}$/,
    '+594': /^[1-9][0-9]{8}$/,
    '+590': /^[1-9][0-9]{8}$/,
    '+596': /^[1-9][0-9]{8}$/,
    '+262': /^[1-9][0-9]{8}$/,
    '+31': /^[0-9]{9}$/,
    '+353': /^[0-9]{9}$/,
    '+377': /^[0-9]{5,9}$/,
    '+41': /^[0-9]{9}$/,
    '+48': /^\d{9}$/,
  };
  const form = Object.entries(national).find(([prefix]) => text.startsWith(prefix));
  return form === undefined || form[1].test(text.slice(form[0].length));
}
