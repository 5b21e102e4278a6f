// The record that the warehouse publishes of an article, with its logistical variants and barcodes.
import { isStocked, type Alcohol, type Item, type PlainRecord, shippingDeadline } from './catalogue.ts';
import { type CompanyPrefix, gtin13, gtin14 } from './gs1.ts';
import { type Box, kilograms, litres, packDimensions, palletOf } from './packaging.ts';

/** The article record of an item, as a feed would send it. */
export function articleRecord(item: Item, activityCode: string, prefix: CompanyPrefix): PlainRecord {
  const gtin = gtin13(prefix, item.number);
  const goods = isStocked(item);
  return {
    activityCode,
    articleReference: item.reference,
    longArticleDescription: item.long,
    shortArticleDescription: item.short,
    netWeightPerUVC: kilograms(Math.round(item.weight * 0.92)),
    doReferenceCode: `SKU-${item.number}`,
    nomenclatureManaged: item.kind === 'kit',
    articleType: item.kind === 'service' ? 2 : item.kind === 'consumable' ? 1 : 0,
    ...packaging(item),
    ...handling(item),
    ...supply(item),
    ...range(item),
    ...tracking(item),
    ...(goods ? pallet(item) : {}),
    customsCode: item.customs,
    countryOfOriginCode: item.origin,
    topHazardousMaterial: item.family === 'CANDLE' && item.subFamily === 'LAMP OIL',
    topAlcoholArticle: item.alcohol !== null,
    topConsignedArticle: item.deposit !== null,
    disableProduit: item.discontinued,
    barcodes: goods ? [barcode('UVC', 1, gtin)] : [],
    logisticalVariants: goods ? variants(item, gtin) : [],
    ...(item.alcohol === null ? {} : { alcool: alcoholRecord(item, item.alcohol) }),
  };
}

/** The sales unit, and the boxes that it comes in. */
function packaging(item: Item): PlainRecord {
  const carton = packDimensions(item, item.pcb);
  const inner = item.spcb > 1 ? packDimensions(item, item.spcb) : null;
  return {
    grossWeightPerUVC: kilograms(item.weight),
    lengthPerUVC: item.length / 10,
    widthPerUVC: item.width / 10,
    heightPerUVC: item.height / 10,
    quantityPerPCB: item.pcb,
    quantityPerSPCB: item.spcb,
    grossWeightPerPCB: kilograms(carton.weight),
    lengthPerPCB: carton.length / 10,
    widthPerPCB: carton.width / 10,
    heightPerPCB: carton.height / 10,
    ...(inner !== null && {
      grossWeightPerSPCB: kilograms(inner.weight),
      lengthPerSPCB: inner.length / 10,
      widthPerSPCB: inner.width / 10,
      heightPerSPCB: inner.height / 10,
    }),
  };
}

function handling(item: Item): PlainRecord {
  return {
    articleCategory: item.family,
    articleRotationClass: item.rotation,
    receptionMethod: item.rotation === 'A' ? 'PALLET' : 'SHELF',
    storageMethod: item.shelfLife === null ? 'FIFO' : 'FEFO',
    preferredStorageZone: item.alcohol === null ? (item.fragile ? 'Z3' : 'Z1') : 'Z2',
    storageClass: storageClass(item),
    preparationMethod: preparation(item),
  };
}

function supply(item: Item): PlainRecord {
  return {
    supplierArticleReference: `${item.supplier.code}-${item.number}`,
    supplierArticleDescription: item.long,
    supplierCode: item.supplier.code,
    brandCode: item.brand
      .replaceAll(/[^A-Za-z]/g, '')
      .slice(0, 4)
      .toUpperCase(),
  };
}

/** Its place in the client's range, and its prices. */
function range(item: Item): PlainRecord {
  return {
    articleAnalysisCode: isStocked(item) ? 'E' : 'C',
    articlePrice1: Math.round((item.price * (100 + item.vat)) / 100) / 100,
    articlePrice2: Math.round(item.price * 0.45) / 100,
    articlePrice3: item.deposit === null ? null : item.deposit / 100,
    articleFamily: item.family,
    articleSubFamily: item.subFamily,
    articleBrand: item.brand,
    articleSize: item.size,
    articleColor: item.colour,
    modelReference: item.model,
    modelDescription: item.modelName,
  };
}

function tracking(item: Item): PlainRecord {
  return {
    saleExpirationDate: item.shelfLife !== null,
    receptionDeadlineInDays: item.shelfLife === null ? null : Math.round(item.shelfLife * 0.6),
    shippingDeadlineInDays: item.shelfLife === null ? null : shippingDeadline(item.shelfLife),
    serializedArticle: item.serialized,
    lotTrackedArticle: item.lots,
    miniArticlesManaged: false,
    quantityDeclarationManaged: false,
    fragileArticle: item.fragile,
  };
}

function pallet(item: Item): PlainRecord {
  const { perLayer, layers, ...whole } = palletOf(packDimensions(item, item.pcb));
  return {
    uvcQuantityPerCartonOrPalette: item.pcb * perLayer * layers,
    weightPerCartonOrPalette: kilograms(whole.weight),
    lengthPerCartonOrPalette: whole.length / 10,
    widthPerCartonOrPalette: whole.width / 10,
    heightPerCartonOrPalette: whole.height / 10,
  };
}

function storageClass(item: Item): string {
  return item.alcohol === null ? 'AMBIENT' : 'BONDED';
}

function preparation(item: Item): string {
  return item.fragile ? 'FRAGILE' : 'STANDARD';
}

function barcode(unit: string, quantity: number, code: string): PlainRecord {
  return {
    code,
    isPrimary: true,
    barcodeUnit: unit,
    barcodeQuantity: quantity,
    logisticalVariantCode: unit,
    disabled: false,
  };
}

function variants(item: Item, gtin: string): readonly PlainRecord[] {
  const unit = variant(
    item,
    'UVC',
    null,
    1,
    1,
    { weight: item.weight, length: item.length, width: item.width, height: item.height },
    gtin,
  );
  const inner =
    item.spcb > 1
      ? [variant(item, 'SPCB', 'UVC', item.spcb, item.spcb, packDimensions(item, item.spcb), gtin14(gtin, 1))]
      : [];
  const below = item.spcb > 1 ? 'SPCB' : 'UVC';
  const box = packDimensions(item, item.pcb);
  const carton = variant(item, 'PCB', below, item.pcb / item.spcb, item.pcb, box, gtin14(gtin, 2));
  const { perLayer, layers, ...whole } = palletOf(box);
  const onPallet = {
    ...variant(item, 'PAL', 'PCB', perLayer * layers, perLayer * layers * item.pcb, whole, null),
    subpackagingLvNbConstitutingLayer: perLayer,
    heightLayer: box.height / 10,
    hdTypeCode: 'EUR',
  };
  return [unit, ...inner, carton, onPallet];
}

function variant(
  item: Item,
  code: string,
  below: string | null,
  ofBelow: number,
  ofBase: number,
  box: Box,
  gtin: string | null,
): PlainRecord {
  return {
    articleReference: item.reference,
    numeroObjet: item.number,
    logisticalVariantCode: code,
    lvTypeCode: code,
    subpackagingLvCode: below,
    baseLv: code === 'UVC',
    packagingLv: code !== 'UVC',
    managementLv: code === 'UVC',
    quantityInSubpackagingLv: ofBelow,
    quantityInBaseLv: String(ofBase),
    netWeight: kilograms(Math.round(item.weight * 0.92) * ofBase),
    grossWeight: kilograms(box.weight),
    height: box.height / 10,
    width: box.width / 10,
    depth: box.length / 10,
    volume: litres(box),
    checkAtReceipt: code === 'PCB',
    repackingAtReceipt: false,
    storageGroupCode: storageClass(item),
    preparationGroupCode: preparation(item),
    kit: item.kind === 'kit',
    newLv: false,
    disableVl: item.discontinued,
    lastEvent: 'CREATE',
    barcodes: gtin === null ? [] : [barcode(code, ofBase, gtin)],
  };
}

function alcoholRecord(item: Item, alcohol: Alcohol): PlainRecord {
  return {
    articleReference: item.reference,
    regieCodes: alcohol.regie,
    degree: alcohol.degree,
    capacity: alcohol.litres,
    itemType: alcohol.type,
    categoryOfTaxation: alcohol.taxation,
    customsBrandName: item.brand,
    customsClassification: item.customs,
  };
}
