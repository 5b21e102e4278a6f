// Part (b): the poll that finds nothing new (304) and the repeated page (200 from memory), compared with a bare server.
import { importMovements } from './data.ts';
import { type EngineName, type Place, withPlaces } from './databases.ts';
import { type Effort, takeTurns } from './measure.ts';
import { bareAnswer, loaded, pagesSpread } from './pages.ts';
import { type Peer, startPeer } from './peers.ts';
import { freePort } from '../src/http/port-check.ts';
import { type Program, startProgram } from './program.ts';
import { compared, type Figure } from './report.ts';

const rows = 10_000;

export async function measurePolls(engines: readonly EngineName[], effort: Effort): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const engine of engines)
    figures.push(
      ...(await withPlaces([engine], ([place]) =>
        place === undefined ? Promise.resolve([]) : pollsOf(place, effort),
      )),
    );
  return figures;
}

async function pollsOf(place: Place, effort: Effort): Promise<readonly Figure[]> {
  await importMovements(place, rows);
  const program = await startProgram(place);
  const [load, server] = await Promise.all(['load-client.ts', 'bare-server.ts'].map(startPeer));
  if (load === undefined || server === undefined) throw new Error('a peer is missing');
  try {
    const {
      paths: [path = ''],
    } = await pagesSpread(place, rows);
    const about = { part: 'b', engine: place.engine, unit: 'answers/s', limitName: 'bare server', aim: 0.5 };
    const etag =
      (
        await fetch(`http://127.0.0.1:${program.port}${path}`, { headers: { authorization: program.authorization } })
      ).headers.get('etag') ?? '';
    const bare = { server, port: await freePort('127.0.0.1', 0) };
    const unchanged = await beside(program, load, bare, path, { 'If-None-Match': etag }, effort);
    const repeated = await beside(program, load, bare, path, {}, effort);
    return [
      compared({ ...about, what: 'unchanged poll, 304' }, ...unchanged),
      compared({ ...about, what: 'repeated page, 200' }, ...repeated),
    ];
  } finally {
    await Promise.all([program, load, server].map((each) => each.stop()));
  }
}

type Runs = Awaited<ReturnType<typeof takeTurns>>[number];

/** The same request to the program and to a bare server that sends the program's response. */
async function beside(
  program: Program,
  load: Peer,
  { server, port }: { readonly server: Peer; readonly port: number },
  path: string,
  more: Readonly<Record<string, string>>,
  effort: Effort,
): Promise<readonly [own: Runs, bare: Runs]> {
  const answer = await bareAnswer(program, path, more);
  const lines = (headers: Readonly<Record<string, string>>): string =>
    Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('');
  await server.ask({ port, ...answer });
  const [own, bare] = await takeTurns(
    [
      loaded(
        'program',
        program,
        load,
        {
          port: program.port,
          path,
          headers: lines({ Authorization: program.authorization, ...more }),
          status: answer.status,
        },
        effort.seconds,
      ),
      loaded('bare server', server, load, { port, path, headers: lines(more), status: answer.status }, effort.seconds),
    ],
    effort,
  );
  if (own === undefined || bare === undefined) throw new Error('a run is missing');
  return [own, bare];
}
