// The lists of codes: which exist, what the interface itself says about them, and which fields use them. A warehouse's
// codes come from its dictionary (decision 43).
import { type Fields, isScalar, type Resource } from '../model/resource.ts';
import type { Code, CodeList } from '../model/vocabulary.ts';
import { resources } from './index.ts';

/** Lists that the interface defines completely. */
export const interfaceLists: ReadonlyMap<string, CodeList> = new Map([
  // Clause 2.3.
  [
    'articleType',
    closed({ code: 0, meaning: 'stockable' }, { code: 1, meaning: 'consumable' }, { code: 2, meaning: 'service' }),
  ],
  [
    'articleAnalysisCode',
    closed(
      { code: 'E', meaning: 'normal article' },
      { code: 'C', meaning: 'accounting article' },
      { code: 'D', meaning: 'samples' },
    ),
  ],
]);

/** Lists that a warehouse fills, by name, with what their codes describe. */
export const warehouseLists: Readonly<Record<string, string>> = {
  gradeCode: 'quality grades',
  stockUnitID: 'stock units',
  movementEvent: 'events behind movements (`activityCode` of a movement)',
  movementDirection: 'directions of movements',
  movementCode: 'kinds of movements',
  movementReason: 'reasons of movements',
  unit: 'units of packing',
  articleRotationClass: 'rotation classes of articles',
  receptionMethod: 'location sizes for reception',
  storageMethod: 'expiry families',
  preferredStorageZone: 'storage zones',
  preferredStorageAisle: 'storage families',
  storageClass: 'storage classes',
  preparationMethod: 'preparation families',
  hdTypeCode: 'handling devices',
  locationSizeCode: 'sizes of locations',
  storageGroupCode: 'storage groups',
  bulkStorageGroupCode: 'groups of bulk storage',
  preparationGroupCode: 'preparation groups',
  lastEvent: 'events of logistical variants',
  regieCodes: 'excise codes',
  itemType: 'types of alcoholic products',
  categoryOfTaxation: 'categories of taxation',
  subActivityCode: 'sub-activities',
  operationType: 'ways of processing an order',
  commandType: 'types of orders',
  transportCode: 'transports',
  transportServiceCode: 'transport services',
  transportContract: 'transport contracts (`trpcont`)',
  shippingVATCode: 'kinds of value-added tax on shipping',
  articleNatureCN23: 'nature of goods for customs',
  breakCriterion: 'criteria by which orders, sub-orders and lines are split',
  prepClosedState: 'states in which a preparation is closed',
  activityPackagingCode: 'packagings of parcels',
  parcelProperty: 'properties of the contents of parcels (`name`)',
  procurementTypeCode: 'types of procurements',
  receptionStatus: 'states of a reception',
  receptionReason: 'reasons of a reception (`rMotifRec`)',
  receptionType: 'types of receptions (`rTypeRec`)',
};

/** What the fields of a list have in common: their paths, and the allowed length of codes. */
export interface CodedFields {
  /** Such as `Article.barcodes.barcodeUnit`. */
  readonly paths: readonly string[];
  readonly kind: 'text' | 'number';
  /** Length of the longest code that fits in all of them. */
  readonly maxLength: number;
}

/** The fields of every list, by list name. */
export function codedFields(all: readonly Resource[] = resources): ReadonlyMap<string, CodedFields> {
  const found = new Map<string, CodedFields>();
  for (const { record, fields } of all) collect(fields, record, found);
  return found;
}

function collect(fields: Fields, path: string, found: Map<string, CodedFields>): void {
  for (const [name, field] of Object.entries(fields)) {
    const here = `${path}.${name}`;
    if (!isScalar(field)) collect(field.fields, here, found);
    else if (field.codes !== undefined) {
      const known = found.get(field.codes);
      found.set(field.codes, {
        paths: [...(known?.paths ?? []), here],
        kind: field.kind === 'text' ? 'text' : 'number',
        maxLength: Math.min(known?.maxLength ?? maxCodeLength, field.kind === 'text' ? field.max : maxCodeLength),
      });
    }
  }
}

const maxCodeLength = 50;

function closed(...codes: readonly Code[]): CodeList {
  return { codes, closed: true };
}
