// Reads lists to their end: pages show a part, files, searches and choices need everything.
import type {
  AdministeredActivity,
  AdministeredClient,
  AdministeredKey,
  AdministeredUser,
  PlatformClient,
} from '../../../../client/src/index.ts';
import type { PageOf } from '../paged.ts';

type After = { readonly after?: string };

async function all<Row>(read: (query: After) => Promise<PageOf<Row>>): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await read(after === undefined ? {} : { after });
    rows.push(...page.rows);
    // A server of a version before that answers with the whole list says nothing about more.
    after = page.after ?? null;
  }
  return rows;
}

export function allUsers(
  { administration }: PlatformClient,
  asked: { readonly activity?: string } = {},
  signal?: AbortSignal,
): Promise<readonly AdministeredUser[]> {
  return all(async (query) => {
    const { users, after } = await administration.users({ ...asked, ...query }, { signal });
    return { rows: users, after };
  });
}

export function allActivities(
  { administration }: PlatformClient,
  signal?: AbortSignal,
): Promise<readonly AdministeredActivity[]> {
  return all(async (query) => {
    const { activities, after } = await administration.activities(query, { signal });
    return { rows: activities, after };
  });
}

export function allClients(
  { administration }: PlatformClient,
  signal?: AbortSignal,
): Promise<readonly AdministeredClient[]> {
  return all(async (query) => {
    const { clients, after } = await administration.clients(query, { signal });
    return { rows: clients, after };
  });
}

export function allKeys({ administration }: PlatformClient, signal?: AbortSignal): Promise<readonly AdministeredKey[]> {
  return all(async (query) => {
    const { keys, after } = await administration.keys(query, { signal });
    return { rows: keys, after };
  });
}

/** Codes of the activities that have feeds, in order. */
export async function activitiesOfFeeds(platform: PlatformClient, signal?: AbortSignal): Promise<readonly string[]> {
  const codes = await all(async (query) => {
    const { feeds, after } = await platform.feeds(query, { signal });
    return { rows: feeds.map(({ activityCode }) => activityCode), after };
  });
  return [...new Set(codes)];
}

/** Codes of all activities. */
export async function allCodesOf(platform: PlatformClient): Promise<ReadonlySet<string>> {
  return new Set((await allActivities(platform)).map(({ code }) => code));
}
