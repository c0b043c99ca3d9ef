import { createInterface } from 'node:readline';
import { createLogger } from '@lontar/shared/logger.ts';
import { connectFailFast } from '@lontar/shared/redis-connection.ts';
import type { ReportedEvent } from '@lontar/shared/request-event.ts';
import { openEventLog } from '../src/events/event-log.ts';

// Reports the event of its second argument to the Redis of its first one and says so. Then it reports one for each line that it reads,
// and kills itself as soon as it may answer.
const [url = '', json = ''] = process.argv.slice(2);
const event = JSON.parse(json) as ReportedEvent;
const redis = connectFailFast(url, 'reporter');
await redis.connect();
const ignored = { onReduced: () => undefined, onDropped: () => undefined };
const events = openEventLog({ gateway: 'reporter', redis, logger: createLogger('test', 'silent'), ...ignored });
await events.append(event);
await events.stop(10_000);
process.stdout.write('reported\n');
for await (const id of createInterface({ input: process.stdin })) {
  await events.append({ ...event, id });
  process.kill(process.pid, 'SIGKILL');
}
