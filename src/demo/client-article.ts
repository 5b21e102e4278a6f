// An article created by a client, as the warehouse handles it; values that the client left out are assumed.
import type { DemoActivity } from './activities.ts';
import type { Item, PlainRecord } from './catalogue.ts';

/** @param number of the article within its company */
export function itemOfClient(activity: DemoActivity, article: PlainRecord, number: number): Item {
  const text = (name: string, otherwise: string): string => {
    const value = article[name];
    return typeof value === 'string' && value !== '' ? value : otherwise;
  };
  const amount = (name: string, factor: number, min: number, max: number, otherwise: number): number => {
    const value = article[name];
    const scaled = typeof value === 'number' ? Math.round(value * factor) : 0;
    return scaled > 0 ? Math.min(max, Math.max(min, scaled)) : otherwise;
  };
  const pcb = amount('quantityPerPCB', 1, 1, 200, 12);
  const spcb = amount('quantityPerSPCB', 1, 1, 200, 1);
  const reference = text('articleReference', '');
  const short = text('shortArticleDescription', reference);
  return {
    reference,
    number,
    kind: article.articleType === 2 ? 'service' : article.articleType === 1 ? 'consumable' : 'goods',
    long: text('longArticleDescription', short),
    short,
    family: text('articleFamily', 'NEW'),
    subFamily: text('articleSubFamily', 'NEW'),
    brand: text('articleBrand', activity.name),
    model: text('modelReference', reference),
    modelName: text('modelDescription', short),
    colour: null,
    size: null,
    supplier: { code: text('supplierCode', activity.code).slice(0, 13), name: activity.name },
    price: amount('articlePrice1', 100, 1, 1_000_000, 1990),
    vat: 20,
    weight: amount('grossWeightPerUVC', 1000, 1, 14_000, 400),
    length: amount('lengthPerUVC', 10, 5, 1200, 200),
    width: amount('widthPerUVC', 10, 5, 600, 150),
    height: amount('heightPerUVC', 10, 5, 600, 100),
    spcb: pcb % spcb === 0 ? spcb : 1,
    pcb,
    fragile: article.fragileArticle === true,
    serialized: article.serializedArticle === true,
    lots: article.lotTrackedArticle === true || article.saleExpirationDate === true,
    shelfLife: article.saleExpirationDate === true ? 365 : null,
    alcohol: null,
    deposit: null,
    origin: text('countryOfOriginCode', 'FR'),
    customs: text('customsCode', '96190089'),
    discontinued: article.disableProduit === true,
    popularity: 4,
    rotation: 'B',
  };
}
