// The sizes of created articles: what a client may omit from an article makes most of the difference.

/** How much of an article a client fills in. */
export interface ArticleSize {
  readonly name: string;
  /** Reduces an article of the demonstration warehouse to what such a client would send. */
  readonly reduce: (article: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

const identity = [
  'activityCode',
  'articleReference',
  'longArticleDescription',
  'shortArticleDescription',
  'barcodes',
] as const;
/** What a shop knows of an article: its description, weight and dimensions, origin. */
const catalogue = [
  ...identity,
  'articleType',
  'netWeightPerUVC',
  'grossWeightPerUVC',
  'lengthPerUVC',
  'widthPerUVC',
  'heightPerUVC',
  'quantityPerPCB',
  'supplierCode',
  'supplierArticleReference',
  'articlePrice1',
  'articleFamily',
  'articleSubFamily',
  'articleBrand',
  'articleColor',
  'customsCode',
  'countryOfOriginCode',
  'lotTrackedArticle',
  'fragileArticle',
] as const;
const variant = [
  'articleReference',
  'logisticalVariantCode',
  'baseLv',
  'quantityInSubpackagingLv',
  'netWeight',
  'grossWeight',
  'height',
  'width',
  'depth',
  'barcodes',
] as const;

/** From the minimum for an article to everything that a warehouse knows of it. */
export const articleSizes: readonly ArticleSize[] = [
  { name: 'short', reduce: (article) => only(article, identity) },
  {
    name: 'as a shop has them',
    reduce: (article) => ({
      ...only(article, catalogue),
      logisticalVariants: listOf(article.logisticalVariants)
        .slice(0, 2)
        .map((each) => only(each, variant)),
    }),
  },
  { name: 'with every field', reduce: (article) => article },
];

function only(record: Readonly<Record<string, unknown>>, names: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    names.flatMap((name) => (record[name] === undefined || record[name] === null ? [] : [[name, record[name]]])),
  );
}

function listOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value : [];
}
