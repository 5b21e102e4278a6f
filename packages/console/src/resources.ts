// What the console knows of each list besides its fields: its default columns, and how to find a single record.
import { type FieldFacts, type ResourceFacts, resourceFacts } from './generated/resources.ts';
import type { ListName } from './list/list-names.ts';
import type { AnyRecord, ListRequest } from './list/list-source.ts';
import type { IconName } from './icons.tsx';

export interface ConsoleList {
  readonly name: ListName;
  readonly icon: IconName;
  readonly facts: ResourceFacts;
  /** Names of the default columns. */
  readonly usualColumns: readonly string[];
  /** Identifies a record for people, and in the address of its page. */
  readonly titleField: string;
  /** Fields that say what the record is about, below its title; the values of names with a space between them too. */
  readonly aboutFields: readonly string[];
  readonly usualSort: string;
}

const lists: Readonly<Record<ListName, Omit<ConsoleList, 'name' | 'facts' | 'icon'>>> = {
  articles: {
    usualColumns: ['articleReference', 'shortArticleDescription', 'articleFamily', 'supplierCode', 'dateLastUpdated'],
    titleField: 'articleReference',
    aboutFields: ['longArticleDescription', 'activityName'],
    usualSort: '',
  },
  stock: {
    usualColumns: [
      ...['articleReference', 'stockUnitID', 'articleLotNumber', 'gradeCode'],
      ...['totalStockQuantity', 'totalAvailableForSaleQuantity', 'totalBlockedQuantity'],
    ],
    titleField: 'id',
    aboutFields: ['articleReference', 'stockUnitID', 'articleLotNumber', 'gradeCode', 'activityName'],
    usualSort: '',
  },
  movements: {
    usualColumns: [
      ...['movementTimestamp', 'articleReference', 'movementDirection', 'movedQuantity', 'movementCode'],
      ...['movementReason', 'stockUnitID'],
    ],
    titleField: 'id',
    aboutFields: ['articleReference', 'movementDirection', 'movedQuantity', 'movementCode'],
    usualSort: '-movementTimestamp',
  },
  orders: {
    usualColumns: [
      ...['orderUniqueID', 'customerOrderID', 'dateCreation', 'expectedPrepDate', 'deliveryAddressCity'],
      ...['deliveryAddressCountry', 'transportServiceCode'],
    ],
    titleField: 'orderUniqueID',
    aboutFields: [
      ...['deliveryAddressFirstname deliveryAddressLastname', 'deliveryAddressCity', 'deliveryAddressCountry'],
      'activityName',
    ],
    usualSort: '-dateCreation',
  },
  'order-reports': {
    usualColumns: [
      'orderUniqueID',
      'prepClosedState',
      'firstPackageCreationDate',
      'lastPackageLoadDate',
      'dateLastUpdate',
    ],
    titleField: 'id',
    aboutFields: ['orderUniqueID', 'activityCode'],
    usualSort: '-dateCreation',
  },
  procurements: {
    usualColumns: [
      'uniqueProcurementID',
      'supplierCode',
      'expectedReceiptDate',
      'procurementTypeCode',
      'dateLastUpdate',
    ],
    titleField: 'uniqueProcurementID',
    aboutFields: ['supplierName', 'activityName'],
    usualSort: '-expectedReceiptDate',
  },
};

export function consoleList(name: ListName): ConsoleList {
  const facts = resourceFacts[name];
  return { name, icon: name, facts, ...lists[name] };
}

/** Fields of a list that can be columns: those of the record itself that are not lists. */
export function columnFields({ facts }: ConsoleList): readonly FieldFacts[] {
  return facts.fields.filter(({ kind }) => kind !== 'list' && kind !== 'object');
}

/** The default columns. */
export function usualFields(list: ConsoleList): readonly FieldFacts[] {
  const fields = columnFields(list);
  return list.usualColumns.flatMap((name) => fields.find((field) => field.name === name) ?? []);
}

/** The code of a record's activity: in movements, `activityCode` is an event code. */
export function activityOf({ name }: ConsoleList, record: AnyRecord): string {
  return name === 'movements' ? '' : String(record.activityCode ?? '');
}

/** What a record is about, in words of its own: `Inès Dupré · Rennes · FR`; empty: it says nothing of it. */
export function aboutRecord({ aboutFields }: ConsoleList, record: AnyRecord): string {
  const filled = (texts: readonly unknown[]): readonly unknown[] =>
    texts.filter((text) => text !== null && text !== undefined && text !== '');
  return filled(aboutFields.map((names) => filled(names.split(' ').map((name) => record[name])).join(' '))).join(' · ');
}

/** Parts of the address of a record's page. */
export function recordParts(list: ConsoleList, record: AnyRecord): readonly string[] {
  return [list.name, activityOf(list, record) || '-', String(record[list.titleField] ?? '')];
}

/** The request that finds the record of such an address. */
export function recordRequest({ titleField }: ConsoleList, activity: string, title: string): ListRequest {
  const value = /^[\w.-]+$/.test(title) ? title : `"${title.replaceAll(/["\\]/g, '\\$&')}"`;
  return { filter: `${titleField}==${value}`, sort: '', activity: activity === '-' ? '' : activity };
}
