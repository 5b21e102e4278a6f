// The OrderReport record (interface 2.8): how an order was prepared, line by line and parcel by parcel.
import type { Fields, Resource } from '../model/resource.ts';
import {
  created, dateTime, decimal, FILTER, integer, list, NEEDED, nestedCreated, nestedId, nestedUpdated, ownerCode, recordId, SORT, text, updated,
} from './fields.ts';

/** What was prepared of one order line. */
const reportLineFields = {
  id: nestedId,
  dateCreation: nestedCreated,
  dateLastUpdate: nestedUpdated,
  orderLineID: text(255, 'Order line that was prepared.', NEEDED),
  articleReference: text(17, 'Reference of the prepared article.', FILTER),
  orderedQuantity: decimal('Quantity that was ordered.'),
  preparedQuantity: decimal('Quantity that was prepared.'),
  dateProcessed: dateTime('When the warehouse system processed the line.'),
  gradeCode: text(255, 'Quality grade that was prepared.'),
} as const satisfies Fields;

/** One fact about the goods in a parcel, such as a lot or serial number (decision D6). */
const propertyFields = {
  name: text(255, 'Name of the property, such as lotNumber, serialNumber or bestBefore.', NEEDED),
  value: text(255, 'Value of the property.'),
} as const satisfies Fields;

/** What a parcel holds of one article. */
const parcelEntryFields = {
  id: nestedId,
  dateCreation: nestedCreated,
  dateLastUpdate: nestedUpdated,
  parcelId: integer('The id of the parcel that holds the goods.', { assigned: 'parent-id', notNull: true }),
  articleReference: text(17, 'Reference of the article.', NEEDED),
  shippedQuantityInPackage: decimal('Quantity in the parcel.'),
  properties: list('ParcelEntryProperty', ['name'], propertyFields, 'Facts about these goods, such as lot or serial numbers.'),
} as const satisfies Fields;

/** One parcel of the order. */
const parcelFields = {
  id: nestedId,
  dateCreation: nestedCreated,
  dateLastUpdate: nestedUpdated,
  packageNumber: text(255, 'Number of the parcel.', { ...NEEDED, ...FILTER }),
  palletNumber: text(255, 'Number of the pallet that the parcel stands on.'),
  shipmentTrackingNumber: text(255, 'Number by which the carrier tracks the parcel.', FILTER),
  palletSSCC: text(255, 'Serial shipping container code of the pallet.'),
  packageSSCC: text(255, 'Serial shipping container code of the parcel.', FILTER),
  trpcont: text(255, 'Transport contract.'),
  transportService: text(255, 'Transport service that was used.'),
  transportLoadNumber: text(255, 'Number of the load that the parcel left with.'),
  packageCreationDate: dateTime('When the parcel was built.'),
  packageLoadDate: dateTime('When the parcel was loaded.'),
  packageRank: integer('Rank of the parcel within the order.'),
  actualPackageWeight: decimal('Weight of the parcel as measured.'),
  shippedPackageVolume: decimal('Volume of the parcel.'),
  activityPackagingCode: text(255, 'Packaging that was used.'),
  svcWaveID: text(255, 'Preparation wave that the parcel was part of.'),
  seqColis: integer('Sequence number of the parcel.'),
  trackingurl: text(2048, 'Web page that tracks the parcel.'),
  entries: list('ParcelEntry', ['articleReference'], parcelEntryFields, 'Contents of the parcel.'),
} as const satisfies Fields;

export const orderReport = {
  name: 'order-reports',
  record: 'OrderReport',
  clause: '2.8',
  table: 'order_report',
  storage: 'records',
  ownerField: 'activityCode',
  ownerNameField: null,
  key: ['orderUniqueID', 'firstPackageCreationDate'],
  imageField: null,
  closed: false,
  fields: {
    id: recordId,
    dateCreation: created,
    dateLastUpdate: updated,
    dateProcessed: dateTime('When the warehouse system processed the report.', SORT),
    activityCode: ownerCode,
    subActivityCode: text(3, 'Sub-activity that the order belongs to.', SORT),
    orderUniqueID: text(32, 'Identifier of the order that was prepared.', { ...NEEDED, ...SORT }),
    prepClosedState: integer('State in which the preparation was closed.', FILTER),
    firstPackageCreationDate: dateTime('When the first parcel was built.', SORT),
    lastPackageLoadDate: dateTime('When the last parcel was loaded.', SORT),
    shippedHandlingUnitCount: integer('Handling units shipped.'),
    packedPackageCount: integer('Parcels built.'),
    packedPaletteCount: integer('Pallets built.'),
    totalPrepWeight: decimal('Total weight prepared.'),
    totalPrepVolume: decimal('Total volume prepared.'),
    prepOrderGroupID: text(14, 'Group of preparation orders that this one belongs to.', SORT),
    nomflux: text(50, 'Name of the flow that delivered the report.', FILTER),
    lignes: list('ReportLine', ['orderLineID'], reportLineFields, 'Lines that were prepared.'),
    parcels: list('Parcel', ['packageNumber'], parcelFields, 'Parcels that were built.'),
  },
  unpublished: {},
  indexes: [['orderUniqueID'], ['dateLastUpdate']],
  sortIndexes: [['lastPackageLoadDate']],
  example: {
    id: 1000000000355,
    dateCreation: '2026-03-02T15:20:11.902Z',
    dateLastUpdate: '2026-03-02T17:45:30.007Z',
    dateProcessed: '2026-03-02T17:45:00.000Z',
    activityCode: 'AUR',
    subActivityCode: 'WEB',
    orderUniqueID: 'WEB-2026-004711',
    prepClosedState: 0,
    firstPackageCreationDate: '2026-03-02T15:18:40.000Z',
    lastPackageLoadDate: '2026-03-02T17:40:00.000Z',
    shippedHandlingUnitCount: 1,
    packedPackageCount: 1,
    packedPaletteCount: 0,
    totalPrepWeight: 0.46,
    totalPrepVolume: 4.2,
    prepOrderGroupID: 'G-260302-01',
    nomflux: 'prep-reports',
    lignes: [
      {
        id: 1000000000356, dateCreation: '2026-03-02T15:20:11.902Z', dateLastUpdate: '2026-03-02T15:20:11.902Z', orderLineID: '1',
        articleReference: 'TEE-ORG-NVY-M', orderedQuantity: 2, preparedQuantity: 2, dateProcessed: '2026-03-02T15:19:00.000Z', gradeCode: 'STD',
      },
    ],
    parcels: [
      {
        id: 1000000000357, dateCreation: '2026-03-02T15:20:11.902Z', dateLastUpdate: '2026-03-02T17:45:30.007Z', packageNumber: 'P260302-000871',
        palletNumber: null, shipmentTrackingNumber: 'DM000000871FR', palletSSCC: null, packageSSCC: '009520000001234567', trpcont: 'STANDARD',
        transportService: 'HOME-24H', transportLoadNumber: 'L-260302-04', packageCreationDate: '2026-03-02T15:18:40.000Z',
        packageLoadDate: '2026-03-02T17:40:00.000Z', packageRank: 1, actualPackageWeight: 0.46, shippedPackageVolume: 4.2,
        activityPackagingCode: 'BOX-S', svcWaveID: 'W-260302-02', seqColis: 1, trackingurl: 'https://tracking.example.com/DM000000871FR',
        entries: [
          {
            id: 1000000000358, dateCreation: '2026-03-02T15:20:11.902Z', dateLastUpdate: '2026-03-02T15:20:11.902Z', parcelId: 1000000000357,
            articleReference: 'TEE-ORG-NVY-M', shippedQuantityInPackage: 2, properties: [{ name: 'lotNumber', value: 'L2601-07' }],
          },
        ],
      },
    ],
  },
} as const satisfies Resource;
