// The commands `carrier-account …`: the accounts with which activities ship.
import type { Command } from 'commander';
import { accountOf } from '../shipping/accounts.ts';
import type { Texts } from '../shipping/account-settings.ts';
import { faultText, probeAccount } from '../shipping/probe-account.ts';
import { createAccountCipher } from '../auth/account-cipher.ts';
import { type Carrier, CarrierError } from '../carriers/carrier.ts';
import { createHost, defaultHostLimits } from '../carriers/host.ts';
import { carrierTimes, type Config } from '../config.ts';
import { existingActivities } from '../auth/activity-access.ts';
import { OperatorError } from '../model/operator-error.ts';
import type { StoredCarrierAccount } from '../store/carrier-accounts.ts';
import { commandEntry } from './audited.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from './environment.ts';
import { describeCommand, storageSettings } from './help.ts';
import { type JsonOption, jsonOption, type CommandLine } from './command-line.ts';
import { withStore } from './storage.ts';
import { writeTable } from './table.ts';
import { missingSettingsReader, type MissingSettings } from './carrier-account/missing-settings.ts';
import { declareAccountAdd } from './carrier-account/add.ts';
import { type NamedOptions, named, storedAccount } from './carrier-account/find-account.ts';
import { declareAccountPoints } from './carrier-account/points.ts';
import { declareAccountTry } from './carrier-account/try.ts';
import { carrierNamed } from './carrier-account/settings.ts';

export function declareCarrierAccount(program: Command, line: CommandLine): void {
  const { environment, done } = line;
  const account = describeCommand(
    program
      .command('carrier-account')
      .description(
        'Accounts at carriers: with whom an activity ships, and under which name its clients ask for labels.',
      ),
    { examples: ['carrier-account add --help', 'carrier-account list'] },
  );
  declareAccountAdd(account, line);
  describeCommand(
    account
      .command('list')
      .description(
        'List the accounts with their settings, and what they lack for labels or tracking; never their secrets.',
      )
      .option('--activity <code>', 'only those of this activity')
      .option(...jsonOption)
      .action(async ({ activity, json }: JsonOption & { activity?: string }) =>
        done(await listAccounts(environment, { activity: activity ?? null, json: json === true })),
      ),
    {
      examples: ['carrier-account list', 'carrier-account list --activity ACM --json'],
      settings: [...storageSettings, 'secretKey', 'secretKeyPrevious'],
    },
  );

  const one = async (run: typeof testAccount, { context, carrier, json }: NamedOptions): Promise<void> =>
    done(await run(environment, { context, carrier, json: json === true }));
  describeCommand(
    named(account.command('test').description('Ask the carrier whether an account works. Nothing is made.')).action(
      (options: NamedOptions) => one(testAccount, options),
    ),
    {
      examples: ['carrier-account test --context paris --carrier mondialrelay'],
      settings: [...storageSettings, 'secretKey', 'secretKeyPrevious', 'carrierAnswerSeconds', 'carrierTotalSeconds'],
    },
  );
  declareAccountPoints(account, line);
  declareAccountTry(account, line);
  describeCommand(
    named(
      account
        .command('remove')
        .description('Remove an account with its secrets. Labels that were made with it are kept.'),
    ).action((options: NamedOptions) => one(removeAccount, options)),
    { examples: ['carrier-account remove --context paris --carrier mondialrelay'], settings: storageSettings },
  );
}

/**
 * Lists the accounts; never their secrets.
 * @param activity null: all of them
 * @throws OperatorError when there is no such activity
 */
async function listAccounts(
  environment: Environment,
  { activity, json }: { readonly activity: string | null; readonly json: boolean },
): Promise<ExitCode> {
  const accounts = await withStore(environment, async (store, config) => {
    if (activity !== null) await existingActivities(store, [activity]);
    const lackOfStored = missingSettingsReader(config);
    const found: { readonly account: StoredCarrierAccount; readonly lack: MissingSettings }[] = [];
    for (const account of await store.carrierAccounts.list())
      if (activity === null || account.activity === activity)
        found.push({ account, lack: await lackOfStored(account) });
    return found;
  });
  if (json)
    writeJson(
      environment.stdout,
      accounts.map(({ account, lack }) => ({ ...described(account), lacks: lack.lack })),
    );
  else {
    writeTable(
      environment.stdout,
      ['ACTIVITY', 'CONTEXT', 'CARRIER', 'SETTINGS', 'SENDER', 'LABELS A DAY', 'LACKS'],
      accounts.map(({ account, lack }) => [
        account.activity,
        account.context,
        account.carrier,
        pairsText(account.settings),
        pairsText(account.sender),
        account.dailyLimit === null ? 'any' : String(account.dailyLimit),
        lackCell(lack),
      ]),
    );
  }
  return exitCodes.done;
}

interface NamedAccount {
  readonly context: string;
  readonly carrier: string;
  readonly json: boolean;
}

/**
 * Asks the carrier whether the account works; creates nothing there.
 * @throws OperatorError when there is no such account, or it does not work
 */
async function testAccount(
  environment: Environment,
  { context, carrier: name, json }: NamedAccount,
): Promise<ExitCode> {
  const carrier = await carrierNamed(name);
  const sentence = await withStore(environment, async (store, config) => {
    const stored = await storedAccount(store, context, name);
    return probe(carrier, stored, config);
  });
  if (json) writeJson(environment.stdout, { context, carrier: name, works: true, detail: sentence });
  else environment.stdout.write(`${sentence}\n`);
  return exitCodes.done;
}

/** @throws OperatorError when there is no such account */
async function removeAccount(environment: Environment, { context, carrier, json }: NamedAccount): Promise<ExitCode> {
  await withStore(environment, async (store) => {
    const account = await storedAccount(store, context, carrier);
    await store.carrierAccounts.remove(context, carrier, () =>
      commandEntry(environment, {
        action: 'carrier-account.remove',
        target: `${context}/${carrier}`,
        activityCodes: [account.activity],
      }),
    );
  });
  if (json) writeJson(environment.stdout, { context, carrier, removed: true });
  else
    environment.stdout.write(
      `The account of context ${context} at ${carrier} is removed. Labels that were made with it are kept: an ` +
        'account of the same context, carrier and activity finds them again.\n',
    );
  return exitCodes.done;
}

async function probe(carrier: Carrier, stored: StoredCarrierAccount, config: Config): Promise<string> {
  const account = await accountOf(stored, carrier, createAccountCipher(config));
  const callCarrier = createHost({
    limits: { ...defaultHostLimits, ...carrierTimes(config) },
    onCall: () => undefined,
  });
  try {
    const { works, detail } = await probeAccount({ callCarrier, now: Date.now }, { carrier, account });
    if (works === false) throw notWorking(detail);
    return detail;
  } catch (error) {
    throw error instanceof CarrierError ? notWorking(faultText(error, carrier.title)) : error;
  }
}

function notWorking(why: string): OperatorError {
  return new OperatorError(
    `The account does not work: ${why}`,
    'Put its settings right with: ./logistics-connect carrier-account add',
  );
}

/** `labels: apiKey; tracking: suiviKey`, or why it cannot be determined. */
function lackCell(found: MissingSettings): string {
  if (found.lack === null) return found.error.message;
  const { labels, tracking } = found.lack;
  return [labels === null ? [] : `labels: ${labels}`, tracking === null ? [] : `tracking: ${tracking}`]
    .flat()
    .join('; ');
}

function pairsText(pairs: Texts): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

function described({
  activity,
  secrets,
  createdAt,
  id: _id,
  ...account
}: StoredCarrierAccount): Readonly<Record<string, unknown>> {
  return { activity, ...account, hasSecrets: secrets !== null, createdAt: instantText(createdAt) };
}
