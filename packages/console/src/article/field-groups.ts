// The groups of an article's fields in its form.
import { type ArticleFieldFacts, articleFieldFacts } from '../generated/article-fields.ts';
import type { ArticleWord } from './words.ts';

interface ArticleGroup {
  readonly name: ArticleWord;
  readonly isOpen: boolean;
  readonly fields: readonly ArticleFieldFacts[];
}

const master = [
  ...['activityCode', 'articleReference', 'shortArticleDescription', 'longArticleDescription', 'articleType'],
  ...['doReferenceCode', 'articleFamily', 'articleSubFamily', 'articlePrice1', 'disableProduit'],
];

/** The first group with a matching pattern applies; together they cover every field. */
const patterns: readonly (readonly [ArticleWord, RegExp])[] = [
  ['custom', /^customField/],
  ['unit', /UVC$|^article(Size|Color)$/],
  ['packs', /PCB$|PerCartonOrPalette$/],
  ['supplier', /^supplier|^brand|Brand$|^model|^articlePrice|Analysis|Typology/],
  ['handling', /^top|^customs|^country|^fragile|^serialized|^lot|Managed$|Days$|^saleExp/],
  ['warehouse', /./],
];

export const articleGroups: readonly ArticleGroup[] = [
  { name: 'master', isOpen: true, fields: articleFieldFacts.filter(({ name }) => master.includes(name)) },
  ...(['unit', 'packs', 'warehouse', 'supplier', 'handling', 'custom'] as const).map((group) => ({
    name: group,
    isOpen: false,
    fields: articleFieldFacts.filter(({ name }) => !master.includes(name) && groupOf(name) === group),
  })),
];

function groupOf(name: string): ArticleWord {
  return patterns.find(([, pattern]) => pattern.test(name))?.[0] ?? 'warehouse';
}
