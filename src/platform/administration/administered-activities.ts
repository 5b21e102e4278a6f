// Activities over HTTP: listed, added, renamed.
import type { Answer, Call } from '../../http/route.ts';
import { formatInstant } from '../../model/instant.ts';
import { singleParameters } from '../../model/parameters.ts';
import { Problem } from '../../model/problem.ts';
import { type Activity, checkActivity } from '../../store/activities.ts';
import type { Store } from '../../store/store.ts';
import { administrationEntry, asCommanded, fieldsOf, pageOf, told } from './request.ts';

interface ActivityDependencies {
  readonly store: Pick<Store, 'activities'>;
}

/** `GET /platform/activities`: by code. */
export function listActivities({ store }: ActivityDependencies): (call: Call) => Promise<Answer> {
  return async ({ query }) => {
    const given = singleParameters(query, ['after', 'limit']);
    const { items, after } = await pageOf(
      given,
      (page) => store.activities.page(page),
      ({ code }) => code,
    );
    return told({ activities: items.map(published), after });
  };
}

/**
 * `POST /platform/activities`: adds one; repeating the request changes nothing.
 * @throws Problem `validation-failed`
 */
export function addActivity({ store }: ActivityDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    const given = await fieldsOf(call, { code: 'text', name: 'text' }, ['code', 'name']);
    const { code = '', name = '' } = given;
    const audit = administrationEntry(call, { action: 'activity.add', target: code, activityCodes: [code] });
    await asCommanded(store.activities.add(code, name, () => audit));
    return told(await one(store, code));
  };
}

/**
 * `POST /platform/activities/{activityCode}/change`: renames it.
 * @throws Problem `resource-not-found`, `validation-failed`
 */
export function changeActivity({ store }: ActivityDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    const code = call.params.activityCode ?? '';
    const given = await fieldsOf(call, { name: 'text' }, ['name']);
    const known = await one(store, code);
    const before = await asCommanded(
      store.activities.rename(code, given.name ?? '', (names) =>
        administrationEntry(call, {
          ...{ action: 'activity.change', target: code, activityCodes: [code] },
          details: { name: names },
        }),
      ),
    );
    const name = before === given.name ? before : checkActivity(code, given.name ?? '');
    return told({ ...known, name });
  };
}

async function one(store: ActivityDependencies['store'], code: string): Promise<ReturnType<typeof published>> {
  const known = await found(store, code);
  if (known === undefined) throw new Problem('resource-not-found', 'There is no activity with this code.');
  return published(known);
}

async function found({ activities }: ActivityDependencies['store'], code: string): Promise<Activity | undefined> {
  return /^[A-Z0-9]{1,3}$/.test(code) ? (await activities.named([code]))[0] : undefined;
}

function published({ code, name, createdAt, lastWriteAt }: Activity) {
  return {
    ...{ code, name, createdAt: formatInstant(createdAt) },
    lastWriteAt: lastWriteAt === null ? null : formatInstant(lastWriteAt),
  };
}
