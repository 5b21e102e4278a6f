// The command `demo status`: shows the demonstration's clock, what has happened, and what happens next.
import type { Command } from 'commander';
import { hourMs } from '../../demo/calendar.ts';
import { clockAt, isAttended } from '../../demo/clock.ts';
import { type DemoNote, sentenceOf } from '../../demo/notes.ts';
import { orRefused, withDemonstration } from '../demo.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from '../environment.ts';
import { describeCommand, storageSettings } from '../help.ts';
import { type CommandLine, type JsonOption, jsonOption } from '../command-line.ts';

export function declareDemoStatus(demo: Command, { environment, done }: CommandLine): void {
  describeCommand(
    demo
      .command('status')
      .description(
        'Show what the clock of the demonstration says, whether a server runs it, what waits, and what comes.',
      )
      .option(...jsonOption)
      .action(async (options: JsonOption) => done(await showStatus(environment, { json: options.json === true }))),
    { examples: ['demo status', 'demo status --json'], settings: storageSettings },
  );
}

interface TimedText {
  readonly at: string | null;
  readonly text: string;
}

interface Status {
  readonly clock: string | null;
  readonly speed: number;
  /** A server is running it. */
  readonly running: boolean;
  readonly deliveredTo: string | null;
  readonly filledAt: string | null;
  readonly waiting: readonly string[];
  readonly happened: readonly TimedText[];
  readonly next: readonly TimedText[];
}

async function showStatus(environment: Environment, { json }: { readonly json: boolean }): Promise<ExitCode> {
  const status = await readStatus(environment);
  if (json) writeJson(environment.stdout, status);
  else environment.stdout.write(statusText(status));
  return exitCodes.done;
}

async function readStatus(environment: Environment): Promise<Status> {
  return withDemonstration(environment, async (store) => {
    const { living } = await import('../../demo/demo-requests.ts');
    const { faultIn, parseSummary } = await import('../../demo/summary.ts');
    const clock = await orRefused(store.demonstration.clock().then(living));
    const { faults, happened, next } = parseSummary(clock.summary);
    const [asked, open] = [await store.demonstration.waiting(), await store.demonstration.advances.open()];
    const shown = (note: DemoNote): TimedText => ({ at: instantText(note.at), text: sentenceOf(note) });
    return {
      clock: instantText(clockAt(clock, environment.now())),
      speed: clock.speed,
      running: isAttended(clock, environment.now()),
      deliveredTo: instantText(clock.playedTo),
      filledAt: instantText(clock.filledAt),
      waiting: [
        ...open.map(({ durationMs, state }) => `an advance of ${durationMs / hourMs} hours, ${state}`),
        ...asked
          .flatMap(({ body }) => faultIn(body) ?? [])
          .map(({ activity, fault }) => `${fault} of ${activity}, not yet taken`),
        ...faults.map(({ activity, fault }) => `${fault} of ${activity}`),
      ],
      happened: happened.map(shown),
      next: next.map(shown),
    };
  });
}

function statusText({ clock, speed, running, deliveredTo, waiting, happened, next }: Status): string {
  const list = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${line}`)];
  const timed = (lines: readonly TimedText[]): readonly string[] =>
    lines.map(({ at, text }) => `${(at ?? '').slice(0, 19)}Z  ${text}`);
  return [
    `Clock:      ${clock ?? ''}, ${speed}x, ${running ? 'running' : 'standing still: no server runs it'}`,
    `Delivered:  everything up to ${deliveredTo ?? ''}`,
    ...list('Waiting', waiting),
    ...list('Happened', timed(happened)),
    ...list('Next', timed(next)),
    '',
  ].join('\n');
}
