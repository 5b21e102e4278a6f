// The accounts of the demonstration at the sandbox carrier.
import type { Store } from '../store/store.ts';
import { type DemoActivity, demoActivities } from './activities.ts';
import { demoSender } from './parcel-label.ts';

type Accounts = Pick<Store, 'carrierAccounts'>;

/** Opens the account of an activity. @param now milliseconds */
export async function openSandbox({ carrierAccounts }: Accounts, activity: DemoActivity, now: number): Promise<void> {
  await carrierAccounts.put(
    {
      activity: activity.code,
      context: activity.code.toLowerCase(),
      carrier: 'sandbox',
      settings: { companyPrefix: activity.labelPrefix },
      secrets: null,
      sender: { ...demoSender, expAddr1: activity.name },
      dailyLimit: null,
    },
    now,
  );
}

/** Changes settings of an account; does nothing if an operator has removed it. */
export async function changeSandbox(
  { carrierAccounts }: Accounts,
  code: string,
  settings: Readonly<Record<string, string>>,
  now: number,
): Promise<void> {
  const account = await carrierAccounts.find([code], code.toLowerCase(), 'sandbox');
  if (account === null) return;
  const { id: _id, createdAt: _createdAt, ...kept } = account;
  await carrierAccounts.put({ ...kept, settings: { ...account.settings, ...settings } }, now);
}

/**
 * Gives the accounts the time and speed of the demonstration's clock, by which its parcels move.
 * @param clock its time at an instant `at`, and its speed
 */
export async function setSandboxClocks(
  store: Accounts,
  { at, clock, speed }: { readonly at: number; readonly clock: number; readonly speed: number },
  now: number,
): Promise<void> {
  for (const { code, parcelPrefix } of demoActivities)
    await changeSandbox(store, code, { warehouseClock: [parcelPrefix, at, clock, speed].join(' ') }, now);
}
