// A closed loop in a thread of its own, so that what it costs its client is not taken for delay of the server. Started
// by `load.ts`.
import { parentPort, workerData } from 'node:worker_threads';
import { closedLoop } from './load.ts';

const stop = new AbortController();
parentPort?.once('message', () => stop.abort());
parentPort?.postMessage(await closedLoop(workerData.asked, workerData.connections, stop.signal));
