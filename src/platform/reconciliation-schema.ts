// Schema and example of the reconciliation, for its description.
import type { Json } from '../http/openapi.ts';
import { differenceClasses } from './difference-classes.ts';
import { maxCursorLength } from './reconciliation-cursor.ts';
import { maxPagePlaces } from './reconciliation-pages.ts';
import { textBlock } from '../model/text-block.ts';
import { classMeanings, type Reconciliation } from './reconcile.ts';

const quantity = (description: string): Json => ({ type: 'number', format: 'double', description });
const count = (description: string): Json => ({
  type: 'integer',
  format: 'int64',
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description,
});
const text = (description: string, maxLength: number): Json => ({ type: ['string', 'null'], description, maxLength });
const instant = (description: string): Json => ({ type: 'string', format: 'date-time', maxLength: 24, description });

function record(description: string, properties: Readonly<Record<string, Json>>): Json {
  return { type: 'object', description, properties, required: Object.keys(properties) };
}

const image = (description: string): Json =>
  record(description, {
    stockImageExtractionDate: instant('When the warehouse took it.'),
    publishedAt: instant('When it could be read here.'),
    rows: count('Its rows.'),
  });

const sums = {
  imageFrom: quantity('Total in the earlier image.'),
  movedIn: quantity('What movements into stock came to, after the one image and not after the other.'),
  movedOut: quantity('What movements out of stock came to.'),
  expected: quantity('imageFrom + movedIn - movedOut.'),
  imageTo: quantity('Total in the later image.'),
  difference: quantity('imageTo - expected.'),
} as const;

const classes = differenceClasses.map((name) => `\`${name}\`: ${classMeanings[name]}.`).join(' ');

export const reconciliationSchemas: Readonly<Record<string, Json>> = {
  Reconciliation: record('Two stock images, and the movements between them.', {
    activityCode: { type: 'string', maxLength: 3, description: 'Activity.' },
    from: image('The earlier image: the newest not later than `from`.'),
    to: image('The later image: the newest not later than `to`.'),
    totals: record('Of all places, on every page.', {
      places: count('Places: articles by stock unit, lot and grade.'),
      differing: count('Those with a difference.'),
      ...sums,
      movements: count('Movements that were looked at.'),
      notCounted: count('Those without a quantity or a direction, and rows of an image without a quantity.'),
      withoutArticle: count('Movements that name no article: they are in no place.'),
    }),
    places: {
      type: 'array',
      maxItems: maxPagePlaces,
      description: textBlock`
        Places that differ; with \`all=true\` every place. In the order of articles, stock units, lots and grades, null
        last.
      `,
      items: { $ref: '#/components/schemas/ReconciledPlace' },
    },
    after: text('Where the next page goes on; null where there is no more.', maxCursorLength),
  }),
  ReconciledPlace: record('An article in a stock unit, of a lot, in a grade.', {
    articleReference: { type: 'string', maxLength: 17, description: 'Reference of the article.' },
    stockUnitID: text('Stock unit.', 3),
    articleLotNumber: text('Lot.', 35),
    gradeCode: text('Grade.', 255),
    lotsJoined: {
      type: 'boolean',
      description: 'All lots are one here, because a movement of the article names none.',
    },
    ...sums,
    class: {
      type: ['string', 'null'],
      enum: [...differenceClasses, null],
      description: `Why it differs. ${classes}`,
    },
  }),
};

export const reconciliationExample: Reconciliation = {
  activityCode: 'AUR',
  from: {
    stockImageExtractionDate: '2026-03-01T02:00:00.000Z',
    publishedAt: '2026-03-01T02:04:11.310Z',
    rows: 4211,
  },
  to: { stockImageExtractionDate: '2026-03-08T02:00:00.000Z', publishedAt: '2026-03-08T02:04:02.871Z', rows: 4198 },
  totals: {
    places: 4302,
    differing: 1,
    imageFrom: 182_440,
    movedIn: 20_400,
    movedOut: 31_108,
    expected: 171_732,
    imageTo: 171_730,
    difference: -2,
    movements: 18_766,
    notCounted: 0,
    withoutArticle: 0,
  },
  places: [
    {
      articleReference: 'TEE-ORG-NVY-M',
      stockUnitID: 'MAI',
      articleLotNumber: 'L2601-07',
      gradeCode: 'STD',
      lotsJoined: false,
      imageFrom: 412,
      movedIn: 0,
      movedOut: 96,
      expected: 316,
      imageTo: 314,
      difference: -2,
      class: 'missing-movement',
    },
  ],
  after: null,
};
