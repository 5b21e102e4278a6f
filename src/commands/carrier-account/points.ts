// The command `carrier-account points`: lists pick-up points near an address.
import type { Command } from 'commander';
import type { PickupPoint } from '../../carriers/points.ts';
import { Problem } from '../../model/problem.ts';
import { textBlock } from '../../model/text-block.ts';
import { pointFinder } from '../../shipping/find-points.ts';
import { pointParameterNames, readPointQuery } from '../../shipping/point-query.ts';
import type { CommandLine } from '../command-line.ts';
import { type Environment, type ExitCode, exitCodes, writeJson } from '../environment.ts';
import { UsageError } from '../failure.ts';
import { describeCommand } from '../help.ts';
import { withStore } from '../storage.ts';
import { writeTable } from '../table.ts';
import { carrierCallSettings, named, type NamedOptions, openNamed } from './find-account.ts';

interface PointOptions extends NamedOptions {
  near: string[];
  limit: string;
}

/** Adds `carrier-account points` to the commands of carrier accounts. */
export function declareAccountPoints(account: Command, { environment, done }: CommandLine): void {
  describeCommand(
    named(
      account
        .command('points')
        .summary('list pick-up points near an address')
        .description(
          textBlock`
            Ask the carrier for points near an address where a recipient can collect a parcel. MODELIV, POINT and
            COUNTRY go into a label request as modeLiv, shippingPickupPoint and shippingPickupPointCountry.
          `,
        )
        .requiredOption(
          '--near <field=value...>',
          `destCountry and destZip of the recipient, and what else is known of ${optionalFields.join(', ')}`,
        )
        .option('--limit <number>', 'most points', '10'),
    ).action(async (options: PointOptions) => done(await showPoints(environment, options))),
    {
      examples: [
        'carrier-account points --context paris --carrier mondialrelay --near destCountry=FR destZip=75009',
        textBlock`
          carrier-account points --context paris --carrier colissimo --near destCountry=FR destZip=75009 destCity=Paris
          weight=1200 --limit 5 --json
        `,
      ],
      settings: carrierCallSettings,
    },
  );
}

const optionalFields = pointParameterNames.filter((name) => !['destCountry', 'destZip', 'limit'].includes(name));

/** @throws UsageError for an invalid place */
async function showPoints(environment: Environment, options: PointOptions): Promise<ExitCode> {
  const { query, limit } = wantedOf(options);
  const points = await withStore(environment, async (store, config) => {
    const { opened, asking } = await openNamed(store, config, options);
    return pointFinder(asking)(opened, query, limit);
  });
  if (options.json === true) writeJson(environment.stdout, points);
  else
    writeTable(
      environment.stdout,
      ['METERS', 'MODELIV', 'POINT', 'COUNTRY', 'NAME', 'ADDRESS', 'MOST GRAMS', 'OPEN'],
      points.map(rowOf),
    );
  return exitCodes.done;
}

function wantedOf({ near, limit }: PointOptions): ReturnType<typeof readPointQuery> {
  const given = new Map<string, string>([['limit', limit]]);
  for (const pair of near) {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(pair) ?? [];
    if (!pointParameterNames.includes(name) || name === 'limit')
      throw new UsageError(`--near takes FIELD=VALUE with one of destCountry, destZip, ${optionalFields.join(', ')}`);
    given.set(name, value);
  }
  try {
    return readPointQuery(given);
  } catch (error) {
    throw error instanceof Problem ? new UsageError(error.detail) : error;
  }
}

function rowOf(point: PickupPoint): readonly (string | null)[] {
  const { labelRequest, name, street, zip, city, distanceMeters, maxGrams, openingHours } = point;
  const days = new Map<string, string[]>();
  for (const { day, from, to } of openingHours) days.set(day, [...(days.get(day) ?? []), `${from}-${to}`]);
  return [
    distanceMeters === null ? null : String(distanceMeters),
    labelRequest.modeLiv,
    labelRequest.shippingPickupPoint,
    labelRequest.shippingPickupPointCountry,
    name,
    `${street}, ${zip} ${city}`,
    maxGrams === null ? null : String(maxGrams),
    [...days].map(([day, hours]) => `${day.slice(0, 3)} ${hours.join(' ')}`).join('; '),
  ];
}
