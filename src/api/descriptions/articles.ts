// The reference documentation of creating articles.
import { operationExample } from '../../model/operation.ts';
import { inputName } from '../../model/schema.ts';
import { textBlock } from '../../model/text-block.ts';
import type { Parameter, RouteDescription } from '../../http/route.ts';
import { article } from '../../resources/index.ts';
import { maxElements } from '../../model/record-reader.ts';
import { maxArticles } from '../submit-articles.ts';

const submitParameters: readonly Parameter[] = [
  {
    name: 'onExisting',
    in: 'query',
    schema: { type: 'string', enum: ['replace', 'reject', 'skip'], default: 'replace' },
    meaning:
      'What becomes of an article that exists already: `replace` it as a whole, `reject` the item, or `skip` it, ' +
      'which leaves the article as it is.',
  },
  {
    name: 'atomic',
    in: 'query',
    schema: { type: 'boolean', default: false },
    meaning: 'All or nothing: with `true`, one item that is refused refuses all.',
  },
  {
    name: 'dryRun',
    in: 'query',
    schema: { type: 'boolean', default: false },
    meaning:
      'With `true`, everything is judged and nothing is written, not even to the audit trail: the operator will ' +
      'not find its `operationId`.',
  },
];

const exampleArticle = {
  activityCode: 'ACM',
  articleReference: 'CID-BRU-075',
  longArticleDescription: 'Organic cider, dry, bottle of 75 cl',
  shortArticleDescription: 'Organic cider dry 75 cl',
  articleType: 0,
  netWeightPerUVC: 0.75,
  barcodes: [{ code: '9520000123451', isPrimary: true, barcodeUnit: 'UVC', barcodeQuantity: 1 }],
};

/** `POST /articles` (interface 4.4; decisions D3, D7, D12, D15, D16). */
export const createArticles: RouteDescription = {
  summary: 'Create articles',
  description: textBlock`
    Creates up to ${maxArticles} articles with their barcodes and logistical variants, or replaces them as
    a whole: what is left out is null afterwards. The same article again is no change. Each item is judged by itself;
    \`errors\` has the reasons for refusing it, at most 100 of one item and 1 MB of all; the last one says how many more
    there are. A barcode of 8, 12, 13 or 14 digits is a GTIN and has its check digit, unless the operator of the
    service has said that codes of as many digits are numbers of the warehouse. Leave out what is read-only, or send
    it back as you read it. A barcode occurs once in an article; only
    where the article's list names the variant that it belongs to may it stand in that variant's list as well. At most
    one barcode of a list is the primary one, and a variant has no second one in the article's list. A list has at most
    ${maxElements} elements, and a request at most 10 MiB. What is null can be left out: an article may be longer
    than a request once it is read with every property of its barcodes and variants. A request that is so large that
    it cannot be written within 30 seconds is undone as a whole and answered 503: send fewer articles at a time.
  `,
  parameters: submitParameters,
  body: {
    schema: {
      type: 'array',
      minItems: 1,
      maxItems: maxArticles,
      items: { $ref: `#/components/schemas/${inputName(article.record)}` },
    },
    example: [exampleArticle],
  },
  answers: { schema: 'OperationResult', example: operationExample },
};
