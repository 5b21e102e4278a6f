// The commands `demo …`: what a person does with the demonstration warehouse, whether or not a server runs.
import type { Command } from 'commander';
import { parseDuration } from '../demo/clock.ts';
import { demoMark } from '../demo/demo-client.ts';
import { demoFaults, isDemoFault } from '../demo/faults.ts';
import { sentenceOf } from '../demo/notes.ts';
import type { NotRunning } from '../demo/runner.ts';
import { OperatorError } from '../model/operator-error.ts';
import { textBlock } from '../model/text-block.ts';
import type { Store } from '../store/store.ts';
import { commandEntry } from './audited.ts';
import { declareDemoReset } from './demo/reset.ts';
import { declareDemoStatus } from './demo/status.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from './environment.ts';
import { Interrupted, UsageError } from './failure.ts';
import { describeCommand, storageSettings } from './help.ts';
import { type CommandLine, type JsonOption, jsonOption } from './command-line.ts';
import { withStore } from './storage.ts';

export function declareDemo(program: Command, line: CommandLine): void {
  const demo = describeCommand(
    program.command('demo').description(
      textBlock`
          The demonstration warehouse of \`serve --demo\`, which lives as long as a server runs it: see what it does,
          set its clock forward, ask for something to go wrong.
        `,
    ),
    { examples: ['demo status', 'demo advance 1d', 'demo fault lost-movement'] },
  );
  declareDemoStatus(demo, line);
  declareAdvance(demo, line);
  declareFault(demo, line);
  declareDemoReset(demo, line);
}

function declareAdvance(demo: Command, { environment, done }: CommandLine): void {
  describeCommand(
    demo
      .command('advance')
      .description(
        textBlock`
          Set the clock of the demonstration forward, and deliver everything that happens meanwhile. It is ahead from
          then on, by at most 366 days. What was asked for before comes first, over HTTP too; a running server takes
          part.
        `,
      )
      .argument('<duration>', 'minutes, hours or days, such as 30m, 6h or 1d; up to 366d')
      .option(...jsonOption)
      .action(async (duration: string, options: JsonOption) =>
        done(await advance(environment, { duration, json: options.json === true })),
      ),
    {
      examples: ['demo advance 1d', 'demo advance 30m'],
      codes: { [exitCodes.interrupted]: 'interrupted; what was delivered until then stays' },
      settings: storageSettings,
    },
  );
}

async function advance(
  environment: Environment,
  { duration, json }: { readonly duration: string; readonly json: boolean },
): Promise<ExitCode> {
  const durationMs = parseDuration(duration);
  if (durationMs === null)
    throw new UsageError(`"${duration}" is no duration: give minutes, hours or days, such as 30m, 6h or 1d.`);
  const clock = await withDemonstration(environment, async (store) => {
    const { createDemoRunner } = await import('../demo/runner.ts');
    const { createFeedTurns } = await import('../feeds/feed-turns.ts');
    const runner = createDemoRunner({
      store,
      turns: createFeedTurns(),
      now: environment.now,
      signal: environment.interruption(),
      onNote: (note) => environment.stderr.write(`${sentenceOf(note)}\n`),
      onProgress: (at) => {
        if (environment.stderr.isTTY === true && !json) environment.stderr.write(`\r\u001b[K${instantText(at) ?? ''}`);
      },
    });
    const audit = commandEntry(environment, { action: 'demo.advance', target: duration });
    const reached = await orRefused(runner.advance(durationMs, environment.user, audit));
    if (reached === 'stopped') throw new Interrupted('Interrupted: what was delivered until then stays.');
    if (typeof reached === 'string') throw notLiving(reached);
    return instantText(reached) ?? '';
  });
  if (json) writeJson(environment.stdout, { clock });
  else environment.stdout.write(`${environment.stderr.isTTY === true ? '\n' : ''}The clock says ${clock}.\n`);
  return exitCodes.done;
}

function declareFault(demo: Command, { environment, done }: CommandLine): void {
  const names = Object.keys(demoFaults);
  describeCommand(
    demo
      .command('fault')
      .description(
        [
          'Let one thing go wrong, once, at the next fitting moment; a running server learns of it within seconds:',
          ...Object.entries(demoFaults).map(([name, meaning]) => `  ${name}: ${meaning}`),
        ].join('\n'),
      )
      .argument('<name>', names.join(', '))
      .option('--activity <code>', 'whose', 'ACM')
      .option(...jsonOption)
      .action(async (name: string, options: JsonOption & { activity: string }) =>
        done(await askFault(environment, { name, activity: options.activity, json: options.json === true })),
      ),
    { examples: ['demo fault late-image', 'demo fault short-pick --activity BEL'], settings: storageSettings },
  );
}

async function askFault(
  environment: Environment,
  { name, activity, json }: { readonly name: string; readonly activity: string; readonly json: boolean },
): Promise<ExitCode> {
  if (!isDemoFault(name))
    throw new UsageError(`There is no fault "${name}"; there are ${Object.keys(demoFaults).join(', ')}.`);
  await withDemonstration(environment, async (store) => {
    const { demoActivities } = await import('../demo/activities.ts');
    if (!demoActivities.some(({ code }) => code === activity))
      throw new OperatorError(
        `The demonstration has no activity ${activity}.`,
        `It has ${demoActivities.map(({ code }) => code).join(' and ')}.`,
      );
    const { askFault: ask } = await import('../demo/demo-requests.ts');
    const audit = commandEntry(environment, { action: 'demo.fault', target: name, activityCodes: [activity] });
    await orRefused(ask(store.demonstration.ask, { activity, fault: name, now: environment.now() }, audit));
  });
  if (json) writeJson(environment.stdout, { fault: name, activityCode: activity });
  else environment.stdout.write(`Asked for: ${demoFaults[name]}. See \`demo status\`.\n`);
  return exitCodes.done;
}

/**
 * Runs work on a database that holds a demonstration.
 * @throws OperatorError for any other database, which is left untouched
 */
export async function withDemonstration<T>(environment: Environment, work: (store: Store) => Promise<T>): Promise<T> {
  return withStore(environment, async (store) => {
    if ((await store.secrets.read(demoMark)) === null)
      throw new OperatorError(
        'This database holds no demonstration.',
        'One is made in an empty database: DATA_DIR=./demo-data ./logistics-connect serve --demo',
      );
    return work(store);
  });
}

/** A demonstration that is being filled, or was made by a program version with other rules. */
function notLiving(why: NotRunning): OperatorError {
  return why === 'none'
    ? new OperatorError(
        'This demonstration is not filled yet.',
        'A server fills it within a minute: ask again. Where none does: ./logistics-connect demo reset',
      )
    : new OperatorError(
        'This demonstration was filled by another version, and stands still.',
        'Make it anew: ./logistics-connect demo reset',
      );
}

/** Awaits work that may be refused. @throws OperatorError when it is */
export async function orRefused<T>(work: Promise<T>): Promise<T> {
  const { AdvanceFailed, DemoRefused } = await import('../demo/demo-requests.ts');
  try {
    return await work;
  } catch (error) {
    if (error instanceof AdvanceFailed) throw new OperatorError(error.message, 'What was delivered until then stays.');
    if (!(error instanceof DemoRefused)) throw error;
    if (error.reason === 'none' || error.reason === 'other-version') throw notLiving(error.reason);
    throw new OperatorError(error.message, error.remedy);
  }
}
