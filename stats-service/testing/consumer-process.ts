import { createLogger } from '@lontar/shared/logger.ts';
import { createRegistry } from '@lontar/shared/metrics.ts';
import { connectPatient } from '@lontar/shared/redis-connection.ts';
import { statsMetrics } from '@lontar/shared/stats-metrics.ts';
import { consumeEvents } from '../src/events/consume-events.ts';

/** A process of its own that counts events until it is killed: `node consumer-process.ts <redis url> <name>`. */
const [, , url = '', consumer = ''] = process.argv;
const redis = connectPatient(url, consumer);
redis.on('error', () => undefined);
await redis.connect().catch(() => undefined);
consumeEvents({
  redis,
  consumer,
  keepTexts: true,
  metrics: statsMetrics(createRegistry('stats-service', 'test')),
  logger: createLogger(consumer, 'silent'),
  takeoverAfterMs: 200,
});
console.log('counting');
