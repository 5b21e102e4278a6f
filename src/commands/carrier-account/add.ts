// The command `carrier-account add`: adds an account with its settings, its secrets and its sender.
import type { Command } from 'commander';
import { completeAccount } from '../../shipping/accounts.ts';
import { createAccountCipher } from '../../auth/account-cipher.ts';
import { isUseless, lackOf, lackText } from '../../carriers/account-needs.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { labelRequestFields } from '../../model/shipping.ts';
import { textBlock } from '../../model/text-block.ts';
import { recordCommand } from '../audited.ts';
import { completeSettings, type Pairs, toldFaults } from './settings.ts';
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
/** Labels per day. */
const maxLabels = 1_000_000;

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
  faults.push(...wantedFaults(wanted), ...senderFaults(sender), ...toldFaults(carrier, told));
  if (faults.length > 0) throw new OperatorError(faults.join(' '), 'Nothing was changed.');
  await requireActivity(environment, activity);
  const { settings, secrets } = await completeSettings(environment, carrier, told);
  const lack = lackOf(carrier, completeAccount(carrier, { ...settings, ...secrets }));
  if (isUseless(carrier, lack))
    throw new OperatorError(
      `The account could do nothing at ${carrier.title}. ${lackText(lack)}`,
      'Nothing was changed.',
    );
  const outcome = await withStore(environment, async (store, config) => {
    const stored =
      Object.keys(secrets).length === 0 ? null : await createAccountCipher(config).encrypt(JSON.stringify(secrets));
    const dailyLimit = wanted.dailyLimit === null ? null : Number(wanted.dailyLimit);
    const done = await store.carrierAccounts.put(
      { activity, context, carrier: carrier.name, settings, secrets: stored, sender, dailyLimit },
      environment.now(),
    );
    await recordCommand(environment, store, {
      action: `carrier-account.${done === 'added' ? 'add' : 'change'}`,
      target: `${context}/${carrier.name}`,
      activityCodes: [activity],
    });
    return done;
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

function wantedFaults({ context, dailyLimit }: AccountOptions): readonly string[] {
  const isNamed = /^[a-z0-9][a-z0-9._-]{0,39}$/.test(context);
  const isLimit = dailyLimit === null || (/^\d{1,7}$/.test(dailyLimit) && Number(dailyLimit) <= maxLabels);
  return [
    ...(isNamed
      ? []
      : [
          textBlock`
            A context is named with 1 to 40 lower-case letters, digits, dots, dashes and underscores, a letter or digit
            first.
          `,
        ]),
    ...(isLimit ? [] : [`--daily-limit must be a whole number from 0 to ${maxLabels}.`]),
  ];
}

function senderFaults(sender: Pairs): readonly string[] {
  const known = Object.entries(labelRequestFields).filter(([name]) => name.startsWith('exp'));
  return Object.entries(sender).flatMap(([name, value]) => {
    const field = known.find(([each]) => each === name)?.[1];
    if (field === undefined) return [`--sender takes ${known.map(([each]) => each).join(', ')}, not ${name}.`];
    return value.length > field.max ? [`--sender ${name} may have ${field.max} characters.`] : [];
  });
}

function pairsOf(texts: readonly string[], option: string, faults: string[]): Pairs {
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
