// The commands `feed …`: what the warehouse system sent, and which parts were refused.
import type { Command } from 'commander';
import { declareDropLines } from './feed/drop.ts';
import { declareEditLine } from './feed/edit.ts';
import { declareEndMessage } from './feed/end.ts';
import { declareLineage } from './feed/lineage.ts';
import { declareListFeeds, declareListMessages, declareShowMessage } from './feed/list.ts';
import { declareListLines } from './feed/lines.ts';
import { declareReplayLines } from './feed/replay.ts';
import { declareTryFile } from './feed/try.ts';
import { declareWithdraw } from './feed/withdraw.ts';
import { describeCommand } from './help.ts';
import type { CommandLine } from './command-line.ts';

export function declareFeed(program: Command, line: CommandLine): void {
  const feed = describeCommand(
    program
      .command('feed')
      .description('What came in from the warehouse system, message by message, and what of it was refused.'),
    {
      examples: [
        'feed list',
        'feed messages --resource orders',
        'feed lines',
        'feed edit ACM:17:4 mended.json',
        'feed replay ACM:17',
        'feed drop ACM:17',
        'feed end ACM:17',
        'feed try orders.json ORDERS_0042.csv',
        'feed withdraw orders --activity ACM --key WEB-4711',
      ],
    },
  );
  declareListFeeds(feed, line);
  declareListMessages(feed, line);
  declareShowMessage(feed, line);
  declareListLines(feed, line);
  declareEditLine(feed, line);
  declareDropLines(feed, line);
  declareReplayLines(feed, line);
  declareEndMessage(feed, line);
  declareLineage(feed, line);
  declareTryFile(feed, line);
  declareWithdraw(feed, line);
}
