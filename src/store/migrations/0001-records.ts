// Generated once, then frozen: the records' tables of the first version.
import { createTable } from '../migrate.ts';
import type { Migration } from '../migrate.ts';
import type { ColumnType } from '../record-tables.ts';

export const records: Migration = {
  name: '0001-records',
  up: async (db, dialect) => {
    for (const { name, columns, unique, indexes } of tables) {
      const shape = columns.map(([column, type, required]) => ({ name: column, type, nullable: required === undefined }));
      await createTable(db, dialect, { name, columns: shape, unique, indexes });
    }
  },
};

interface FrozenTable {
  readonly name: string;
  readonly columns: readonly (readonly [name: string, type: ColumnType, required?: 'required'])[];
  readonly unique: readonly (readonly string[])[];
  readonly indexes: readonly (readonly string[])[];
}

const tables: readonly FrozenTable[] = [
  {
    name: 'article',
    columns: [
      ['owner', 'text', 'required'],
      ['natural_key', 'text', 'required'],
      ['change_number', 'integer', 'required'],
      ['content_hash', 'text', 'required'],
      ['body', 'text', 'required'],
      ['activityCode', 'text'],
      ['articleReference', 'text'],
      ['shortArticleDescription', 'text'],
      ['dateCreated', 'integer'],
      ['dateLastUpdated', 'integer'],
      ['doReferenceCode', 'text'],
      ['articleType', 'integer'],
      ['articleCategory', 'text'],
      ['supplierArticleReference', 'text'],
      ['supplierCode', 'text'],
      ['brandCode', 'text'],
      ['articleAnalysisCode', 'text'],
      ['articleFamily', 'text'],
      ['articleSubFamily', 'text'],
      ['articleBrand', 'text'],
      ['modelReference', 'text'],
      ['customField1', 'integer'],
      ['customField2', 'integer'],
      ['customField17', 'integer'],
      ['customField18', 'integer'],
      ['disableProduit', 'integer'],
      ['id', 'text'],
    ],
    unique: [
      ['owner', 'natural_key'],
      ['owner', 'change_number'],
    ],
    indexes: [
      ['owner', 'articleReference', 'change_number'],
      ['owner', 'dateLastUpdated', 'change_number'],
      ['owner', 'supplierCode', 'change_number'],
      ['owner', 'articleFamily', 'change_number'],
    ],
  },
  {
    name: 'article_nested',
    columns: [
      ['owner', 'text', 'required'],
      ['natural_key', 'text', 'required'],
      ['selector', 'text', 'required'],
      ['text_value', 'text'],
      ['number_value', 'decimal'],
    ],
    unique: [

    ],
    indexes: [
      ['owner', 'natural_key', 'selector'],
      ['owner', 'selector', 'text_value', 'natural_key'],
    ],
  },
  {
    name: 'article_stock',
    columns: [
      ['owner', 'text', 'required'],
      ['image_id', 'text', 'required'],
      ['position', 'integer', 'required'],
      ['body', 'text', 'required'],
      ['id', 'integer'],
      ['dateCreation', 'integer'],
      ['dateLastUpdate', 'integer'],
      ['activityCode', 'text'],
      ['stockImageExtractionDate', 'integer'],
      ['articleReference', 'text'],
      ['stockUnitID', 'text'],
      ['totalStockQuantity', 'decimal'],
      ['totalAvailableForSaleQuantity', 'decimal'],
      ['totalBlockedQuantity', 'decimal'],
      ['articleLotNumber', 'text'],
      ['oldestReceptionDate', 'integer'],
      ['newestReceptionDate', 'integer'],
      ['oldestSaleDeadlineDate', 'integer'],
      ['newestSaleDeadlineDate', 'integer'],
      ['gradeCode', 'text'],
      ['dateProcessed', 'integer'],
    ],
    unique: [
      ['owner', 'image_id', 'position'],
    ],
    indexes: [
      ['owner', 'image_id', 'articleReference', 'position'],
      ['owner', 'image_id', 'stockUnitID', 'position'],
    ],
  },
  {
    name: 'article_stock_movement',
    columns: [
      ['owner', 'text', 'required'],
      ['natural_key', 'text', 'required'],
      ['change_number', 'integer', 'required'],
      ['content_hash', 'text', 'required'],
      ['body', 'text', 'required'],
      ['id', 'integer'],
      ['dateCreation', 'integer'],
      ['dateLastUpdate', 'integer'],
      ['activityCode', 'text'],
      ['stockUnitID', 'text'],
      ['movementTimestamp', 'integer'],
      ['articleReference', 'text'],
      ['movedQuantity', 'integer'],
      ['movementDirection', 'text'],
      ['movementCode', 'text'],
      ['movementReason', 'text'],
      ['gradeCode', 'text'],
      ['dateProcessed', 'integer'],
    ],
    unique: [
      ['owner', 'natural_key'],
      ['owner', 'change_number'],
    ],
    indexes: [
      ['owner', 'articleReference', 'change_number'],
      ['owner', 'movementTimestamp', 'change_number'],
      ['owner', 'dateLastUpdate', 'change_number'],
      ['owner', 'id', 'change_number'],
    ],
  },
  {
    name: 'customer_order',
    columns: [
      ['owner', 'text', 'required'],
      ['natural_key', 'text', 'required'],
      ['change_number', 'integer', 'required'],
      ['content_hash', 'text', 'required'],
      ['body', 'text', 'required'],
      ['id', 'text'],
      ['internalId', 'integer'],
      ['activityCode', 'text'],
      ['orderUniqueID', 'text'],
      ['customerOrderPlacementDate', 'integer'],
      ['deliveryAddressPostalCode', 'text'],
      ['deliveryAddressCountry', 'text'],
      ['transportServiceCode', 'text'],
      ['dateCreation', 'integer'],
      ['dateLastUpdate', 'integer'],
      ['subActivityCode', 'text'],
      ['operationType', 'text'],
      ['svcConnectIntegrationDate', 'integer'],
      ['customerOrderID', 'text'],
      ['prepOrderGroupID', 'text'],
      ['commandChannelDescription', 'text'],
      ['commandType', 'text'],
      ['expectedPrepDate', 'integer'],
      ['ownerStockCode', 'text'],
      ['doManagedCustomerNumber', 'text'],
      ['customerInvoiceNumber', 'text'],
      ['invoiceIssuanceDate', 'integer'],
      ['transportCode', 'text'],
      ['deliveryPickupPointID', 'text'],
      ['saturdayDeliveryDate', 'integer'],
      ['orderProcessingPriority', 'integer'],
      ['customField12', 'integer'],
      ['customField13', 'integer'],
      ['customField14', 'integer'],
      ['customField15', 'integer'],
    ],
    unique: [
      ['owner', 'natural_key'],
      ['owner', 'change_number'],
    ],
    indexes: [
      ['owner', 'orderUniqueID', 'change_number'],
      ['owner', 'dateLastUpdate', 'change_number'],
      ['owner', 'customerOrderID', 'change_number'],
      ['owner', 'customerOrderPlacementDate', 'change_number'],
      ['owner', 'expectedPrepDate', 'change_number'],
    ],
  },
  {
    name: 'customer_order_nested',
    columns: [
      ['owner', 'text', 'required'],
      ['natural_key', 'text', 'required'],
      ['selector', 'text', 'required'],
      ['text_value', 'text'],
      ['number_value', 'decimal'],
    ],
    unique: [

    ],
    indexes: [
      ['owner', 'natural_key', 'selector'],
      ['owner', 'selector', 'text_value', 'natural_key'],
    ],
  },
  {
    name: 'order_report',
    columns: [
      ['owner', 'text', 'required'],
      ['natural_key', 'text', 'required'],
      ['change_number', 'integer', 'required'],
      ['content_hash', 'text', 'required'],
      ['body', 'text', 'required'],
      ['id', 'integer'],
      ['dateCreation', 'integer'],
      ['dateLastUpdate', 'integer'],
      ['dateProcessed', 'integer'],
      ['activityCode', 'text'],
      ['subActivityCode', 'text'],
      ['orderUniqueID', 'text'],
      ['prepClosedState', 'integer'],
      ['firstPackageCreationDate', 'integer'],
      ['lastPackageLoadDate', 'integer'],
      ['prepOrderGroupID', 'text'],
      ['nomflux', 'text'],
    ],
    unique: [
      ['owner', 'natural_key'],
      ['owner', 'change_number'],
    ],
    indexes: [
      ['owner', 'orderUniqueID', 'change_number'],
      ['owner', 'dateLastUpdate', 'change_number'],
      ['owner', 'lastPackageLoadDate', 'change_number'],
    ],
  },
  {
    name: 'order_report_nested',
    columns: [
      ['owner', 'text', 'required'],
      ['natural_key', 'text', 'required'],
      ['selector', 'text', 'required'],
      ['text_value', 'text'],
      ['number_value', 'decimal'],
    ],
    unique: [

    ],
    indexes: [
      ['owner', 'natural_key', 'selector'],
      ['owner', 'selector', 'text_value', 'natural_key'],
    ],
  },
  {
    name: 'procurement',
    columns: [
      ['owner', 'text', 'required'],
      ['natural_key', 'text', 'required'],
      ['change_number', 'integer', 'required'],
      ['content_hash', 'text', 'required'],
      ['body', 'text', 'required'],
      ['activityCode', 'text'],
      ['uniqueProcurementID', 'text'],
      ['expectedReceiptDate', 'integer'],
      ['dateCreation', 'integer'],
      ['dateLastUpdate', 'integer'],
      ['supplierOrderNumberDO', 'text'],
      ['ownerCode', 'text'],
      ['procurementTypeCode', 'text'],
      ['procurementGroup', 'text'],
      ['supplierCode', 'text'],
      ['id', 'text'],
    ],
    unique: [
      ['owner', 'natural_key'],
      ['owner', 'change_number'],
    ],
    indexes: [
      ['owner', 'uniqueProcurementID', 'change_number'],
      ['owner', 'dateLastUpdate', 'change_number'],
      ['owner', 'expectedReceiptDate', 'change_number'],
      ['owner', 'supplierCode', 'change_number'],
    ],
  },
  {
    name: 'procurement_nested',
    columns: [
      ['owner', 'text', 'required'],
      ['natural_key', 'text', 'required'],
      ['selector', 'text', 'required'],
      ['text_value', 'text'],
      ['number_value', 'decimal'],
    ],
    unique: [

    ],
    indexes: [
      ['owner', 'natural_key', 'selector'],
      ['owner', 'selector', 'text_value', 'natural_key'],
    ],
  },
  {
    name: 'procurement_report',
    columns: [
      ['owner', 'text', 'required'],
      ['natural_key', 'text', 'required'],
      ['change_number', 'integer', 'required'],
      ['content_hash', 'text', 'required'],
      ['body', 'text', 'required'],
      ['id', 'integer'],
      ['activityCode', 'text'],
      ['dateCreation', 'integer'],
      ['dateLastUpdate', 'integer'],
      ['dateProcessed', 'integer'],
      ['receptionUniqueID', 'text'],
      ['supplierCode', 'text'],
      ['receptionStatus', 'text'],
      ['svcReceptionUniqueID', 'text'],
      ['receptionProcessingNumber', 'text'],
      ['carrierDeliveryBLNumber', 'text'],
      ['blIssuanceDate', 'integer'],
      ['actualReceptionDate', 'integer'],
      ['uniqueProcurementID', 'text'],
    ],
    unique: [
      ['owner', 'natural_key'],
      ['owner', 'change_number'],
    ],
    indexes: [
      ['owner', 'uniqueProcurementID', 'change_number'],
      ['owner', 'dateLastUpdate', 'change_number'],
      ['owner', 'actualReceptionDate', 'change_number'],
    ],
  },
  {
    name: 'procurement_report_nested',
    columns: [
      ['owner', 'text', 'required'],
      ['natural_key', 'text', 'required'],
      ['selector', 'text', 'required'],
      ['text_value', 'text'],
      ['number_value', 'decimal'],
    ],
    unique: [

    ],
    indexes: [
      ['owner', 'natural_key', 'selector'],
      ['owner', 'selector', 'text_value', 'natural_key'],
    ],
  },
];
