// Articles as a client sends them: those that are written, and those of which everything is refused.
import { article } from '../../src/resources/index.ts';
import { activities } from './prepared.ts';
import type { Answer } from './wire.ts';

/** The most of one request. */
const perRequest = 500;

let requests = 0;

/** Articles that nobody has sent before, and that are accepted. */
export function newArticles(): readonly object[] {
  requests += 1;
  return Array.from({ length: perRequest }, (_none, index) => articleOf(activities.attacker, `N${requests}-${index}`));
}

/** One such article of an activity. */
export function oneArticle(activity: string): object {
  requests += 1;
  return articleOf(activity, `S${requests}`);
}

function articleOf(activityCode: string, articleReference: string): object {
  const { activityName: _name, alcool: _alcool, ...example } = article.example;
  return { ...withoutIds(example), activityCode, articleReference };
}

/** Whether all articles of a request were written: the answer is 200 where all were refused too. */
export function areWritten({ status, body }: Answer): boolean {
  return status === 200 && body.includes('"status":200,');
}

/** Each is refused, with as many reasons as there are values in it that only the service assigns. */
export function refusedArticles(): readonly object[] {
  return newArticles().map((sent) => ({ ...article.example, ...sent, ...readOnly }));
}

const { id, alcool, logisticalVariants, barcodes } = article.example;
const readOnly = { id, alcool, logisticalVariants, barcodes };

/** Identifiers are assigned by the service. */
function withoutIds(record: object): object {
  return JSON.parse(JSON.stringify(record, (name, value: unknown) => (name === 'id' ? undefined : value)));
}
