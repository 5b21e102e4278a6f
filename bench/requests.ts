// Part (l): processor time of a request, with tokens of 1 and of 20 activities, compared with the bare engine and a
// bare server.
import { definitions } from '../src/resources/index.ts';
import { openStore } from '../src/store/open.ts';
import { freePort } from '../src/http/port-check.ts';
import { activity, makeMovements } from './data.ts';
import { type EngineName, type Place, withPlaces } from './databases.ts';
import { cpuMicroseconds, type Effort, type Measured, median, takeTurns } from './measure.ts';
import { bareAnswer, enginePages, loaded, pagesSpread, programPages } from './pages.ts';
import { startPeer } from './peers.ts';
import { onProcessor } from './processors.ts';
import { grantAccess, startProgram } from './program.ts';
import { type Figure, percent } from './report.ts';

/** A token's other activities; they have no movements. */
const others = Array.from({ length: 19 }, (_none, index) => `N${10 + index}`);

export async function measureRequests(engines: readonly EngineName[], effort: Effort): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const engine of engines)
    figures.push(
      ...(await withPlaces([engine], ([place]) =>
        place === undefined ? Promise.resolve([]) : requestsOf(place, effort),
      )),
    );
  return figures;
}

async function requestsOf(place: Place, effort: Effort): Promise<readonly Figure[]> {
  const rows = 200_000;
  await makeMovements(place, rows);
  await addOthers(place);
  const one = await startProgram(place);
  const twenty = { ...one, authorization: await grantAccess(place, one.port, [activity.code, ...others]) };
  const names = ['load-client.ts', 'bare-engine.ts', 'bare-server.ts', 'bare-server.ts'];
  const [load, engine, server, unchangedServer] = await Promise.all(names.map(startPeer));
  if (load === undefined || engine === undefined || server === undefined || unchangedServer === undefined)
    throw new Error('a peer is missing');
  try {
    if (!onProcessor(0, [one.pid, engine.pid, server.pid, unchangedServer.pid]) || !onProcessor(1, [load.pid]))
      process.stderr.write('(l) runs without taskset: the server and who loads it share the processors\n');
    const pages = await pagesSpread(place, rows);
    const morePages = await pagesSpread(place, rows, [activity.code, ...others]);
    const [path = ''] = pages.paths;
    const [morePath = ''] = morePages.paths;
    const unchanged = { 'If-None-Match': await tagOf(one, path) };
    const moreUnchanged = { 'If-None-Match': await tagOf(twenty, morePath) };
    const [port, unchangedPort] = [await freePort('127.0.0.1', 0), await freePort('127.0.0.1', 0)];
    await server.ask({ port, ...(await bareAnswer(one, path)) });
    await unchangedServer.ask({ port: unchangedPort, ...(await bareAnswer(one, path, unchanged)) });
    const poll = (who: typeof one, to: string, headers: Readonly<Record<string, string>>) =>
      loaded(
        'poll',
        who,
        load,
        {
          ...{ port: who.port, path: to, status: 304 },
          headers: lines({ Authorization: who.authorization, ...headers }),
        },
        effort.seconds,
      );
    const runs = await takeTurns(
      [
        programPages(one, load, pages, effort.seconds),
        programPages(twenty, load, morePages, effort.seconds),
        enginePages(place, engine, pages, effort.seconds),
        loaded('bare server', server, load, { port, path: '/', headers: '', status: 200 }, effort.seconds),
        poll(one, path, unchanged),
        poll(twenty, morePath, moreUnchanged),
        loaded(
          'bare server',
          unchangedServer,
          load,
          { port: unchangedPort, path: '/', headers: lines(unchanged), status: 304 },
          effort.seconds,
        ),
      ],
      effort,
    );
    const [pageOfOne = [], pageOfTwenty = [], bare = [], sent = [], pollOfOne = [], pollOfTwenty = [], bareSent = []] =
      runs;
    const figure = (what: string, own: Runs, limitName: string, limit: Runs, most: number | null): Figure =>
      costFigure({ engine: place.engine, what, limitName, most }, own, limit);
    return [
      figure('page, token of 1 activity', pageOfOne, 'bare engine', bare, 2),
      figure('page, token of 1 activity', pageOfOne, 'bare server', sent, null),
      figure('page, token of 20 activities', pageOfTwenty, 'token of 1', pageOfOne, 1.1),
      figure('unchanged poll, token of 1 activity', pollOfOne, 'bare server', bareSent, 2),
      figure('unchanged poll, token of 20 activities', pollOfTwenty, 'token of 1', pollOfOne, null),
    ];
  } finally {
    await Promise.all([one, load, engine, server, unchangedServer].map((each) => each.stop()));
  }
}

type Runs = readonly Measured[];

async function addOthers(place: Place): Promise<void> {
  const store = await openStore(place.storage, definitions);
  try {
    for (const code of others) await store.activities.add(code, code);
  } finally {
    await store.close();
  }
}

async function tagOf(
  { port, authorization }: { readonly port: number; readonly authorization: string },
  path: string,
): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization } });
  await answer.arrayBuffer();
  return answer.headers.get('etag') ?? '';
}

function lines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

/** @param most maximum processor time as a multiple of the limit's; null: no target */
function costFigure(
  {
    engine,
    what,
    limitName,
    most,
  }: Pick<Figure, 'engine' | 'what'> & { readonly limitName: string; readonly most: number | null },
  own: Runs,
  limit: Runs,
): Figure {
  const each = ({ cpuSeconds, done }: Measured): number => (1e6 * cpuSeconds) / done;
  const ratio = median(own.map((run, round) => each(limit[round] ?? run) / each(run)));
  return {
    ...{ part: 'l', engine, what, unit: 'µs', cpuRatio: ratio, note: '' },
    reached: cpuMicroseconds(own) ?? Number.NaN,
    limit: { name: limitName, value: cpuMicroseconds(limit) ?? Number.NaN },
    ratio,
    aim: most === null ? '' : `≥ ${percent(1 / most)}`,
    met: most === null ? null : ratio >= 1 / most,
  };
}
