// The command `shipping handover`: makes the lists of a day's parcels, transmits them to carriers that require it, and
// writes their papers to files.
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Command } from 'commander';
import { createAccountCipher } from '../../auth/account-cipher.ts';
import { throwStorageFailure } from '../../backup/storage-failure.ts';
import { createHost, defaultHostLimits } from '../../carriers/host.ts';
import { loadCarrier } from '../../carriers/index.ts';
import { carrierTimes, type Config } from '../../config.ts';
import { openDocumentStorage } from '../../documents/open.ts';
import type { DocumentStorage } from '../../documents/storage.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { Problem, problems } from '../../model/problem.ts';
import { textBlock } from '../../model/text-block.ts';
import { accountOf, type OpenAccount } from '../../shipping/accounts.ts';
import { handOver, type HandoverDay, handoverDay, isPastDay, today } from '../../shipping/hand-over.ts';
import type { HandoverDependencies } from '../../shipping/make-list.ts';
import type { Handover } from '../../store/handovers.ts';
import type { Store } from '../../store/store.ts';
import { type CommandLine, type JsonOption, jsonOption } from '../command-line.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from '../environment.ts';
import { UsageError } from '../failure.ts';
import { describeCommand, documentSettings, storageSettings } from '../help.ts';
import { withStore } from '../storage.ts';
import { minuteText, writeTable } from '../table.ts';

interface HandoverOptions extends JsonOption {
  context: string;
  carrier: string;
  day?: string;
  output?: string;
  look?: true;
}

export function declareHandover(shipping: Command, { environment, done }: CommandLine): void {
  describeCommand(
    shipping
      .command('handover')
      .summary('hand the parcels of a day over')
      .description(
        textBlock`
          Put the labels of a day that are on no list yet on lists, tell the carrier where it wants to be told, and
          write the papers for the driver. Voided labels and returns are on none. The same again makes no second list:
          it writes the same papers, and goes on where labels were left.
        `,
      )
      .requiredOption('--context <name>', 'context that the labels were made in')
      .requiredOption('--carrier <name>', 'see carrier list')
      .option('--day <date>', 'day of the labels in France (default: today)')
      .option('--output <folder>', 'write the papers of the day there, as PDF')
      .option('--look', 'make no lists: only say where the day stands')
      .option(...jsonOption)
      .action(async (options: HandoverOptions) => done(await endDay(environment, options))),
    {
      examples: [
        'shipping handover --context paris --carrier colissimo --output .',
        'shipping handover --context paris --carrier colissimo --day 2026-11-23 --look',
      ],
      settings: [
        ...storageSettings,
        ...documentSettings,
        ...(['secretKey', 'secretKeyPrevious', 'labelRetentionDays'] as const),
        ...(['carrierAnswerSeconds', 'carrierTotalSeconds'] as const),
      ],
    },
  );
}

/** The most requests for one day: each makes at least one list. */
const maxRounds = 1000;

/** @throws OperatorError when there is no such account, or a list cannot be made */
async function endDay(environment: Environment, options: HandoverOptions): Promise<ExitCode> {
  const now = environment.now();
  const day = options.day ?? today(now);
  if (!isPastDay(day, now)) throw new UsageError('--day takes a day that has begun in France, such as 2026-11-23');
  const { found, files } = await withStore(environment, async (store, config) => {
    const opened = await openAccount(store, config, options);
    const documents = await openDocumentStorage(config, { database: store.epoch, failed: throwStorageFailure });
    const made =
      options.look === true
        ? await handoverDay({ store }, opened, day)
        : await untilNoneIsOpen(dependenciesOf(environment, { store, config, documents }), environment, opened, day);
    const { output } = options;
    return {
      found: made,
      files:
        output === undefined
          ? new Map<string, string>()
          : await papers({ store, documents }, made, resolve(environment.folder, output), now),
    };
  });
  if (options.json === true) writeJson(environment.stdout, described(day, options, found, files));
  else show(environment, day, found, files);
  return exitCodes.done;
}

function dependenciesOf(
  environment: Environment,
  { store, config, documents }: { readonly store: Store; readonly config: Config; readonly documents: DocumentStorage },
): HandoverDependencies {
  return {
    store,
    documents,
    callCarrier: createHost({ limits: { ...defaultHostLimits, ...carrierTimes(config) }, onCall: () => undefined }),
    onFault: () => undefined,
    labelRetentionDays: config.labelRetentionDays,
    now: environment.now,
  };
}

async function untilNoneIsOpen(
  dependencies: HandoverDependencies,
  { user }: Environment,
  opened: OpenAccount,
  day: string,
): Promise<HandoverDay> {
  const audit = { actorKind: 'command', actor: user, subject: null, address: null } as const;
  let found = await attempt();
  for (let round = 1; round < maxRounds && found.open > 0; round += 1) found = await attempt();
  return found;

  async function attempt(): Promise<HandoverDay> {
    try {
      return await handOver(dependencies, { opened, day, audit });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      throw new OperatorError(
        error.detail ?? problems[error.slug].title,
        'Lists that were made before stay. The same command goes on; see what is on none: --look',
      );
    }
  }
}

async function openAccount(
  store: Store,
  config: Config,
  { context, carrier: name }: Pick<HandoverOptions, 'context' | 'carrier'>,
): Promise<OpenAccount> {
  const carrier = await loadCarrier(name);
  const stored = (await store.carrierAccounts.list()).find((one) => one.context === context && one.carrier === name);
  if (carrier === null || stored === undefined)
    throw new OperatorError(
      `There is no account ${context} at ${name}.`,
      'See: ./logistics-connect carrier-account list',
    );
  return { stored, carrier, account: await accountOf(stored, carrier, createAccountCipher(config)) };
}

/** Writes the papers of a day; returns their paths by list id. */
async function papers(
  { store, documents }: { readonly store: Store; readonly documents: DocumentStorage },
  { lists }: HandoverDay,
  folder: string,
  now: number,
): Promise<ReadonlyMap<string, string>> {
  await mkdir(folder, { recursive: true });
  const written = new Map<string, string>();
  for (const list of lists) {
    const file = list.state === 'made' ? await store.handovers.fileOf(list, now) : null;
    if (file === null) continue;
    const path = join(folder, file.fileName);
    const { stream } = await documents.open(file.storedAs);
    await writeFile(path, await buffer(stream));
    written.set(list.id, path);
  }
  return written;
}

function show(
  { stdout }: Environment,
  day: string,
  { lists, open, doubtful }: HandoverDay,
  files: ReadonlyMap<string, string>,
): void {
  writeTable(
    stdout,
    ['AT', 'STATE', 'LABELS', 'PARCELS', 'NUMBER', 'LIST', 'PAPER'],
    lists.map(({ createdAt, state, labels, parcels, number, id }) => [
      minuteText(createdAt),
      state,
      String(labels),
      String(parcels),
      number,
      id,
      files.get(id) ?? null,
    ]),
  );
  for (const { detail } of lists.slice(-1)) stdout.write(`${detail}\n`);
  stdout.write(`Labels of ${day} on no list: ${open}.\n`);
  if (doubtful > 0)
    stdout.write(`${doubtful} more are on none because nobody knows whether there is a parcel: label list --unknown\n`);
}

function described(
  day: string,
  { context, carrier }: HandoverOptions,
  { lists, open, doubtful }: HandoverDay,
  files: ReadonlyMap<string, string>,
): Readonly<Record<string, unknown>> {
  return {
    ...{ context, carrier, day, openLabels: open, doubtfulLabels: doubtful },
    handovers: lists.map((list) => ({ ...describedList(list), file: files.get(list.id) ?? null })),
  };
}

function describedList({
  id,
  state,
  detail,
  number,
  labels,
  parcels,
  createdAt,
}: Handover): Readonly<Record<string, unknown>> {
  return { handover: id, state, detail, number, labels, parcels, createdAt: instantText(createdAt) };
}
