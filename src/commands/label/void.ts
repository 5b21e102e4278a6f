// The command `label void`: marks a label as not to be used any more, at the carrier too if possible.
import type { Command } from 'commander';
import { createAccountCipher } from '../../auth/account-cipher.ts';
import { createHost, defaultHostLimits } from '../../carriers/host.ts';
import { loadCarrier } from '../../carriers/index.ts';
import { carrierTimes, type Config } from '../../config.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { Problem, problems } from '../../model/problem.ts';
import { textBlock } from '../../model/text-block.ts';
import { accountOf, type OpenAccount } from '../../shipping/accounts.ts';
import { type VoidedLabel, voidLabel } from '../../shipping/void-label.ts';
import type { StoredLabel } from '../../store/labels.ts';
import type { Store } from '../../store/store.ts';
import { type CommandLine, type JsonOption, jsonOption } from '../command-line.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from '../environment.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { withStore } from '../storage.ts';

interface VoidOptions extends JsonOption {
  unused?: true;
}

export function declareLabelVoid(label: Command, { environment, done }: CommandLine): void {
  describeCommand(
    label
      .command('void')
      .summary('have a label voided')
      .description(
        textBlock`
          Ask the carrier to take a label back before its parcels are handed over. Where it has no way, the error says
          what to do. The same again changes nothing; after an outcome that nobody knows, the carrier is asked once
          more.
        `,
      )
      .argument('<label>', 'see label list')
      .option('--unused', 'do not ask the carrier: the label was destroyed')
      .option(...jsonOption)
      .action(async (id: string, options: VoidOptions) =>
        done(await endLabel(environment, { id, unused: options.unused === true, json: options.json === true })),
      ),
    {
      examples: [
        'label void 019b2f3e-7c1a-7d20-9c55-3a1f0e6b7d42',
        'label void 019b2f3e-7c1a-7d20-9c55-3a1f0e6b7d42 --unused',
      ],
      settings: [...storageSettings, 'secretKey', 'secretKeyPrevious', 'carrierAnswerSeconds', 'carrierTotalSeconds'],
    },
  );
}

interface VoidInput {
  readonly id: string;
  readonly unused: boolean;
  readonly json: boolean;
}

/** @throws OperatorError when there is no such label, or it could not be voided */
async function endLabel(environment: Environment, { id, unused, json }: VoidInput): Promise<ExitCode> {
  const { label, voided } = await withStore(environment, async (store, config) => {
    const found = await store.labels.byId(id);
    if (found === null) throw new OperatorError(`There is no label ${id}.`, 'See: ./logistics-connect label list');
    const opened = await openAccount(store, config, found);
    const dependencies = {
      store,
      callCarrier: createHost({ limits: { ...defaultHostLimits, ...carrierTimes(config) }, onCall: () => undefined }),
      onFault: () => undefined,
      now: Date.now,
    };
    const audit = {
      actorKind: 'command',
      actor: environment.user,
      subject: null,
      operationId: null,
      address: null,
    } as const;
    return {
      label: found,
      voided: await voidLabel(dependencies, { label: found, opened, unused, audit }).catch((error: unknown) => {
        throw error instanceof Problem ? notVoid(error, id) : error;
      }),
    };
  });
  if (json) writeJson(environment.stdout, described(label, voided));
  else environment.stdout.write(`The label ${label.expeditionNumber} is void. ${voided.detail}\n`);
  return exitCodes.done;
}

/** The account that made the label, else another account of its activity at the carrier. */
async function openAccount(
  store: Store,
  config: Config,
  { activity, context, carrier: name }: StoredLabel,
): Promise<OpenAccount> {
  const carrier = await loadCarrier(name);
  const stored =
    (await store.carrierAccounts.find([activity], context, name)) ??
    (await store.carrierAccounts.list()).find((one) => one.activity === activity && one.carrier === name);
  if (carrier === null || stored === undefined)
    throw new OperatorError(
      `The activity ${activity} has no account at ${name} any more.`,
      'Add one: ./logistics-connect carrier-account add',
    );
  return { stored, carrier, account: await accountOf(stored, carrier, createAccountCipher(config)) };
}

function notVoid({ slug, detail }: Problem, id: string): OperatorError {
  return new OperatorError(
    `The label ${id} is not void: ${detail ?? problems[slug].title}`,
    'Ask again, or note a destroyed label as not used: ./logistics-connect label void --help',
  );
}

function described(label: StoredLabel, { detail, at }: VoidedLabel): Readonly<Record<string, unknown>> {
  const { id, activity, context, carrier, expeditionNumber } = label;
  return {
    label: id,
    activity,
    context,
    carrier,
    state: 'voided',
    expeditionNumber,
    detail,
    voidedAt: at === null ? null : instantText(at),
  };
}
