// The command `client rotate-secret`: issues a new secret for a confidential client, with or without a period in which
// both are valid.
import { type Command, InvalidArgumentError } from 'commander';
import { type Client, rotateSecret, takeBackSecret } from '../../auth/clients.ts';
import { textBlock } from '../../model/text-block.ts';
import { type Environment, type ExitCode, exitCodes, instantText } from '../environment.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { type CommandLine, type JsonOption, jsonOption } from '../command-line.ts';
import { showOnce } from '../shown-once.ts';
import { withStore } from '../storage.ts';
import { clientEntry, describedClient } from './display.ts';

interface Options extends JsonOption {
  readonly keepOld?: number;
}

export function declareRotateSecret(client: Command, { environment, done }: CommandLine): void {
  describeCommand(
    client
      .command('rotate-secret')
      .description(
        textBlock`
          Give a confidential client a new secret, shown this once. The old one is refused at once, or, with --keep-old,
          good beside the new one for so many hours, in which the program can be given the new one; until then it can be
          changed again only without --keep-old, which refuses both. Where a secret was stolen, do not keep it.
        `,
      )
      .argument('<id>', 'see client list')
      .option('--keep-old <hours>', `how long the old one stays good: 1 to ${maxHours}`, hoursIn)
      .option(...jsonOption)
      .action(async (id: string, options: Options) => done(await rotateClientSecret(environment, id, options))),
    {
      examples: ['client rotate-secret web-shop-7x0k2m9qpe --keep-old 48', 'client rotate-secret web-shop-7x0k2m9qpe'],
      settings: storageSettings,
    },
  );
}

/** Four weeks. */
const maxHours = 672;

function hoursIn(text: string): number {
  if (!/^\d{1,3}$/.test(text) || Number(text) < 1 || Number(text) > maxHours)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${maxHours}.`);
  return Number(text);
}

/**
 * Gives a confidential client a new secret, and shows it only this once.
 * @throws OperatorError when there is no such client, or it is public
 */
async function rotateClientSecret(environment: Environment, id: string, { keepOld, json }: Options): Promise<ExitCode> {
  const now = environment.now();
  const kept = keepOld === undefined ? null : { until: now + keepOld * 3_600_000, now };
  const oldSecretUntil = instantText(kept?.until ?? null);
  const { client, secret } = await withStore(environment, (store) =>
    rotateSecret(store, id, kept, clientEntry(environment, 'client.rotate-secret', { oldSecretUntil })),
  );
  const show = (shown: string): Promise<void> =>
    showOnce(environment, `${shown}\n`, () => unseen(environment, client, kept === null ? null : secret));
  if (json === true) await show(JSON.stringify({ ...describedClient(client), secret, oldSecretUntil }));
  else
    await show(
      [
        `secret:    ${secret}`,
        'The secret is shown this once and kept nowhere: copy it now.',
        `The old one ${oldSecretUntil === null ? 'is refused from now on' : `is good until ${oldSecretUntil}`};`,
        'tokens in hand stay valid.',
      ].join('\n'),
    );
  return exitCodes.done;
}

/**
 * What to do about a new secret that nobody has seen. Where the old one was kept, the new one is taken back: changing
 * it once more would end the old one, which is in use.
 * @param secret the new one; null: the old one has ended
 */
async function unseen(environment: Environment, client: Client, secret: string | null): Promise<string> {
  const { id } = client;
  const again = `Nobody has seen the new secret of the client ${id}: run client rotate-secret ${id} again`;
  if (secret === null) return `${again}.`;
  try {
    const isTakenBack = await withStore(environment, (store) =>
      takeBackSecret(store, id, secret, clientEntry(environment, 'client.rotate-secret', { takenBack: true })),
    );
    return isTakenBack
      ? `The client ${id} has the same secret as before: nothing was changed.`
      : `Nobody has seen the new secret of the client ${id}, and it was changed again meanwhile.`;
  } catch {
    return `${again}, without --keep-old and before the old one ends: it could not be taken back.`;
  }
}
