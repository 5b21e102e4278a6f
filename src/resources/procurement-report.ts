// The ProcurementReport record (interface 2.10): what was received of a procurement.
import type { Fields, Resource } from '../model/resource.ts';
import {
  created, dateTime, decimal, FILTER, list, NEEDED, nestedCreated, nestedId, nestedUpdated, ownerCode, recordId, SORT, text, updated,
} from './fields.ts';

/** One lot, serial number or delivery of a received line. */
const receptionDetailFields = {
  id: nestedId,
  activityCode: text(3, 'Code of the activity that the goods belong to.'),
  dateCreation: nestedCreated,
  dateLastUpdate: nestedUpdated,
  ownerCode: text(3, 'Owner of the goods.'),
  receivedQuantity: decimal('Quantity received.'),
  receivedLotNumber: text(255, 'Lot number received.', FILTER),
  articleReceivedDate: dateTime('When the goods were received.'),
  serialNumber: text(255, 'Serial number received.'),
  orderLineID: text(255, 'Line of the procurement.'),
  svcReceptionUniqueID: text(25, 'Identifier of the reception at the platform.'),
} as const satisfies Fields;

/** What was received of one procurement line. */
const receptionLineFields = {
  id: nestedId,
  activityCode: text(3, 'Code of the activity that the line belongs to.'),
  dateCreation: nestedCreated,
  dateLastUpdate: nestedUpdated,
  orderLineID: text(255, 'Line of the procurement; null for goods that were not announced.'),
  articleReference: text(17, 'Reference of the received article.', { ...NEEDED, ...FILTER }),
  receivedQuantity: decimal('Quantity received.'),
  theoreticalRemainingQuantity: decimal('Quantity that is still expected.'),
  supplierBLQuantity: decimal('Quantity on the delivery note of the supplier.'),
  svcReceptionUniqueID: text(25, 'Identifier of the reception at the platform.'),
  details: list('ReceptionDetail', ['receivedLotNumber', 'serialNumber'], receptionDetailFields, 'What was received, by lot or serial number.'),
} as const satisfies Fields;

export const procurementReport = {
  name: 'procurement-reports',
  record: 'ProcurementReport',
  clause: '2.10',
  table: 'procurement_report',
  storage: 'records',
  ownerField: 'activityCode',
  ownerNameField: null,
  key: ['uniqueProcurementID', 'receptionUniqueID', 'receptionProcessingNumber', 'svcReceptionUniqueID'],
  imageField: null,
  closed: false,
  fields: {
    id: recordId,
    activityCode: ownerCode,
    dateCreation: created,
    dateLastUpdate: updated,
    dateProcessed: dateTime('When the warehouse system processed the report.', SORT),
    receptionUniqueID: text(20, 'Identifier of the reception.', SORT),
    supplierCode: text(13, 'Code of the supplier.', SORT),
    receptionStatus: text(1, 'State of the reception.', FILTER),
    svcReceptionUniqueID: text(25, 'Identifier of the reception at the platform.', SORT),
    receptionProcessingNumber: text(3, 'Number of the step in which the reception was processed.', SORT),
    carrierDeliveryBLNumber: text(10, 'Number of the delivery note that the carrier gave.', FILTER),
    blIssuanceDate: dateTime('Date of the delivery note.', SORT),
    actualReceptionDate: dateTime('When the goods were received.', SORT),
    rMotifRec: text(255, 'Reason of the reception.'),
    rTypeRec: text(255, 'Type of the reception.'),
    entries: list('ReceptionLine', ['orderLineID', 'articleReference'], receptionLineFields, 'Lines that were received.'),
  },
  unpublished: {
    uniqueProcurementID: text(20, 'Procurement that the report belongs to; asked for by path, never published.', { min: 1, ...NEEDED }),
  },
  indexes: [['uniqueProcurementID'], ['dateLastUpdate']],
  sortIndexes: [['actualReceptionDate']],
  example: {
    id: 1000000000420,
    activityCode: 'AUR',
    dateCreation: '2026-03-05T09:40:00.000Z',
    dateLastUpdate: '2026-03-05T11:02:15.300Z',
    dateProcessed: '2026-03-05T11:02:00.000Z',
    receptionUniqueID: 'PO-2026-0091',
    supplierCode: 'TEXPORTO',
    receptionStatus: 'R',
    svcReceptionUniqueID: 'REC-260305-0017',
    receptionProcessingNumber: '001',
    carrierDeliveryBLNumber: 'BL90412',
    blIssuanceDate: '2026-03-04T00:00:00.000Z',
    actualReceptionDate: '2026-03-05T09:10:00.000Z',
    rMotifRec: null,
    rTypeRec: 'STD',
    entries: [
      {
        id: 1000000000421, activityCode: 'AUR', dateCreation: '2026-03-05T09:40:00.000Z', dateLastUpdate: '2026-03-05T09:40:00.000Z', orderLineID: '1',
        articleReference: 'TEE-ORG-NVY-M', receivedQuantity: 480, theoreticalRemainingQuantity: 0, supplierBLQuantity: 480,
        svcReceptionUniqueID: 'REC-260305-0017',
        details: [
          {
            id: 1000000000422, activityCode: 'AUR', dateCreation: '2026-03-05T09:40:00.000Z', dateLastUpdate: '2026-03-05T09:40:00.000Z', ownerCode: 'AUR',
            receivedQuantity: 480, receivedLotNumber: 'L2602-11', articleReceivedDate: '2026-03-05T09:10:00.000Z', serialNumber: null, orderLineID: '1',
            svcReceptionUniqueID: 'REC-260305-0017',
          },
        ],
      },
    ],
  },
} as const satisfies Resource;
