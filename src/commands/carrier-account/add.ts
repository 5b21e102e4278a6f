// The command `carrier-account add`: adds an account with its settings, its secrets and its sender.
import type { Command } from 'commander';
import { addCarrierAccount } from '../../shipping/account-changes.ts';
import { frameFaults, type Texts } from '../../shipping/account-settings.ts';
import { createAccountCipher } from '../../auth/account-cipher.ts';
import { lackText } from '../../carriers/account-needs.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { textBlock } from '../../model/text-block.ts';
import type { EntryOf } from '../../store/audit-contract.ts';
import { commandEntry } from '../audited.ts';
import { completeSettings, toldFaults } from './settings.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { type JsonOption, jsonOption, type CommandLine } from '../command-line.ts';
import { withStore } from '../storage.ts';
import { carrierNamed } from './settings.ts';

/** Adds `carrier-account add` to the commands of carrier accounts. */
export function declareAccountAdd(account: Command, { environment, done }: CommandLine): void {
  describeCommand(
    account
      .command('add')
      .summary('add an account, or replace it')
      .description(
        textBlock`
          Add an account, or put it in the place of the one with the same context and carrier. On a terminal it asks for
          the settings that the carrier needs; elsewhere they are one JSON object of texts on standard input. Secrets
          are stored encrypted, and never shown.
        `,
      )
      .requiredOption('--context <name>', 'name of the account in the paths of the interface')
      .requiredOption('--carrier <name>', 'such as sandbox or mondialrelay; docs/carriers has a page for each')
      .requiredOption('--activity <code>', 'activity whose clients may ship with it')
      .option('--set <name=value...>', 'setting of the carrier that is no secret; may be given several times')
      .option(
        '--sender <field=value...>',
        'what a label request may leave out, such as expAddr1="Acme Home"; may be given several times',
      )
      .option('--daily-limit <number>', 'most labels from midnight to midnight in UTC (default: any number)')
      .option(...jsonOption)
      .action(async (options: AddOptions) =>
        done(
          await addAccount(environment, {
            context: options.context,
            carrier: options.carrier,
            activity: options.activity,
            settings: options.set ?? [],
            sender: options.sender ?? [],
            dailyLimit: options.dailyLimit ?? null,
            json: options.json === true,
          }),
        ),
      ),
    {
      examples: [
        textBlock`
          carrier-account add --context demo --carrier sandbox --activity ACM --sender expAddr1="Acme Home" expZip=59810
          expCity=Lesquin expCountry=FR
        `,
        textBlock`
          carrier-account add --context paris --carrier mondialrelay --activity ACM --set enseigne=BDTEST13
          --daily-limit 500 < secrets.json
        `,
      ],
      settings: [...storageSettings, 'secretKey', 'secretKeyPrevious'],
    },
  );
}

interface AddOptions extends JsonOption {
  context: string;
  carrier: string;
  activity: string;
  set?: string[];
  sender?: string[];
  dailyLimit?: string;
}
interface AccountOptions {
  readonly context: string;
  readonly carrier: string;
  readonly activity: string;
  readonly settings: readonly string[];
  readonly sender: readonly string[];
  readonly dailyLimit: string | null;
  readonly json: boolean;
}

/**
 * Adds or replaces an account. Missing values are asked for on a terminal; otherwise they are read from standard input
 * as one JSON object of strings.
 * @throws OperatorError that lists all faults
 */
async function addAccount(environment: Environment, wanted: AccountOptions): Promise<ExitCode> {
  const { context, activity } = wanted;
  const carrier = await carrierNamed(wanted.carrier);
  const faults: string[] = [];
  const sender = pairsOf(wanted.sender, '--sender', faults);
  const told = pairsOf(wanted.settings, '--set', faults);
  const frame = { context, sender, dailyLimit: limitOf(wanted.dailyLimit) };
  const called = { sender: '--sender', dailyLimit: '--daily-limit' };
  faults.push(...frameFaults(frame, called).values(), ...toldFaults(carrier, told));
  if (faults.length > 0) throw new OperatorError(faults.join(' '), 'Nothing was changed.');
  await requireActivity(environment, activity);
  const settings = await completeSettings(environment, carrier, told);
  const { outcome, lack } = await withStore(environment, async (store, config) => {
    const entryOf: EntryOf<'added' | 'changed'> = (made) =>
      commandEntry(environment, {
        action: `carrier-account.${made === 'added' ? 'add' : 'change'}`,
        target: `${context}/${carrier.name}`,
        activityCodes: [activity],
      });
    return addCarrierAccount(
      { store, cipher: createAccountCipher(config), now: environment.now },
      carrier,
      { activity, settings, ...frame },
      { replaces: true, entryOf },
    );
  });
  if (wanted.json) writeJson(environment.stdout, { context, carrier: carrier.name, activity, outcome, lacks: lack });
  else
    environment.stdout.write(
      `Context ${context} of ${activity} ${outcome === 'added' ? 'ships' : 'now ships'} with ${carrier.title}.\n` +
        `${lackText(lack) === '' ? '' : `${lackText(lack)}\n`}To ` +
        `check it: ./logistics-connect carrier-account test --context ${context} --carrier ${carrier.name}\n`,
    );
  return exitCodes.done;
}

/** Nobody should have to type secrets for an activity that does not exist. */
async function requireActivity(environment: Environment, code: string): Promise<void> {
  const activities = await withStore(environment, (store) => store.activities.list());
  if (!activities.some((activity) => activity.code === code))
    throw new OperatorError(
      `There is no activity ${code}.`,
      `Add it: ./logistics-connect activity add ${code} "Its name"`,
    );
}

/** Not a number where the text is none. */
function limitOf(text: string | null): number | null {
  if (text === null) return null;
  return /^\d{1,7}$/.test(text) ? Number(text) : Number.NaN;
}

function pairsOf(texts: readonly string[], option: string, faults: string[]): Texts {
  return Object.fromEntries(
    texts.flatMap((text) => {
      const equals = text.indexOf('=');
      if (equals > 0) return [[text.slice(0, equals), text.slice(equals + 1)] as const];
      // The value is not quoted, because it may be a misplaced secret.
      faults.push(`${option} takes NAME=VALUE.`);
      return [];
    }),
  );
}
