// The ArticleStockMovement record (interface 2.1): one posted change of a stock quantity.
import type { Resource } from '../model/resource.ts';
import { CODE, created, dateTime, int32, QUANTITY, recordId, SORT, text } from './fields.ts';

export const articleStockMovement = {
  name: 'movements',
  record: 'ArticleStockMovement',
  clause: '2.1',
  table: 'article_stock_movement',
  storage: 'records',
  // The activityCode of a movement is an event code, so no field names the activity.
  activityField: null,
  activityNameField: null,
  key: [],
  keyLead: 'movementTimestamp',
  imageField: null,
  closed: true,
  fields: {
    id: recordId,
    dateCreation: created,
    dateLastUpdate: dateTime('When the service last stored a change of the record.', { assigned: 'updated', ...SORT }),
    activityCode: text(3, 'Normalized code of the event behind the movement; not the activity that owns it.', {
      ...SORT,
      codes: 'movementEvent',
    }),
    stockUnitID: text(3, 'Stock unit whose quantity changed.', { ...SORT, codes: 'stockUnitID' }),
    movementTimestamp: dateTime('When the movement was posted in the warehouse.', SORT),
    articleReference: text(17, 'Reference of the article that moved; null where the movement names none.', {
      min: 1,
      ...SORT,
      ...CODE,
    }),
    movedQuantity: int32('Quantity that moved.', { ...SORT, ...QUANTITY }),
    movementDirection: text(1, 'Direction: into stock or out of it.', { ...SORT, codes: 'movementDirection' }),
    movementCode: text(10, 'What kind of movement it was.', { ...SORT, codes: 'movementCode' }),
    movementReason: text(3, 'Why the movement was posted.', { ...SORT, codes: 'movementReason' }),
    gradeCode: text(255, 'Quality grade of the goods.', { ...SORT, codes: 'gradeCode' }),
    dateProcessed: dateTime('When the warehouse system processed the movement.', SORT),
  },
  unpublished: {
    articleLotNumber: text(35, 'Lot that moved; for the reconciliation with stock images, never published.', {
      since: 1,
    }),
  },
  indexes: [['articleReference'], ['dateLastUpdate'], ['id']],
  sortIndexes: [['movementTimestamp'], ['articleReference']],
  // In the order of places, so that no sorting is needed (decision 52).
  sumIndexes: [
    [
      ...['articleReference', 'stockUnitID', 'articleLotNumber', 'gradeCode'],
      ...['movementTimestamp', 'dateProcessed', 'dateCreation', 'movementDirection', 'movedQuantity'],
    ],
  ],
  example: {
    id: 1000000000042,
    dateCreation: '2026-03-02T14:05:09.120Z',
    dateLastUpdate: '2026-03-02T14:05:09.120Z',
    activityCode: 'SHP',
    stockUnitID: 'MAI',
    movementTimestamp: '2026-03-02T14:04:51.000Z',
    articleReference: 'TEE-ORG-NVY-M',
    movedQuantity: 2,
    movementDirection: 'O',
    movementCode: 'SHIPMENT',
    movementReason: 'ORD',
    gradeCode: 'STD',
    dateProcessed: '2026-03-02T14:05:00.000Z',
  },
} as const satisfies Resource;
