// Checks whether messages of feeds are missing, or stand still.
import { createActivities } from '../../store/activities.ts';
import type { Engine } from '../../store/engine.ts';
import type { Feed } from '../../store/feed-contract.ts';
import { listFeeds } from '../../store/feed-message-pages.ts';
import type { Finding } from './finding.ts';

/** Feeds that are told one by one. */
const maxShown = 20;

export async function checkFeeds(engine: Engine): Promise<readonly Finding[]> {
  const codes = (await createActivities(engine).list()).map(({ code }) => code);
  const gaps = (await listFeeds(engine, codes)).filter(({ missing }) => missing.length > 0);
  return gaps.slice(0, maxShown).map((feed) => ({
    subject: 'feeds',
    verdict: 'warning',
    message: `Messages ${rangesOf(feed)} of feed ${feed.feed} (${feed.resource} of ${feed.activity}) have not come.`,
    remedy: 'Ask the warehouse system to send them: a late message fills the gap and spoils nothing.',
  }));
}

function rangesOf({ missing }: Feed): string {
  const shown = missing.slice(0, 5).map(([from, to]) => (from === to ? `${from}` : `${from} to ${to}`));
  return `${shown.join(', ')}${missing.length > shown.length ? ' and more' : ''}`;
}
