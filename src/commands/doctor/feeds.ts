// Checks whether messages of feeds are missing or stuck.
import { dayMs, formatInstant } from '../../model/instant.ts';
import { textBlock } from '../../model/text-block.ts';
import { createActivities } from '../../store/activities.ts';
import type { Engine } from '../../store/engine.ts';
import type { Feed } from '../../store/feed-contract.ts';
import { feedsOf } from '../../store/feed-message-pages.ts';
import { unfinishedMessages } from '../../store/abandoned-messages.ts';
import type { Finding } from './finding.ts';

/** The most feeds that are listed individually. */
const maxShown = 20;

/** @param now milliseconds since 1970 */
export async function checkFeeds(engine: Engine, now: number): Promise<readonly Finding[]> {
  return [...(await gaps(engine)), ...(await unfinished(engine, now))];
}

async function unfinished(engine: Engine, now: number): Promise<readonly Finding[]> {
  const found = await unfinishedMessages(engine, now - 7 * dayMs);
  return found.slice(0, maxShown).map(({ activity, resource, feed, state, count, oldest }) => {
    const which = `${count} ${count === 1 ? 'message' : 'messages'} of feed ${feed} (${resource} of ${activity})`;
    const since = formatInstant(oldest);
    return state === 'open'
      ? {
          subject: 'feeds',
          verdict: 'warning',
          message: `${which} ended before all lines came and can be gone on with, the oldest of ${since}.`,
          remedy: textBlock`
            Send again what \`feed messages --state open\` shows. It ends by itself after FEED_OPEN_HOURS, or by
            \`feed end\`.
          `,
        }
      : {
          subject: 'feeds',
          verdict: 'warning',
          message: `${which} of the last seven days ended before all lines came, the oldest of ${since}.`,
          remedy: textBlock`
            Send again what \`feed messages --state interrupted\` shows: what is there already is unchanged.
          `,
        };
  });
}

async function gaps(engine: Engine): Promise<readonly Finding[]> {
  const codes = (await createActivities(engine).list()).map(({ code }) => code);
  const found = (await feedsOf(engine, codes)).filter(({ missing }) => missing.length > 0);
  return found.slice(0, maxShown).map((feed) => ({
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
