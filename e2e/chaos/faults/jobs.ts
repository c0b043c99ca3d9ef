import { statusOf, tookMs } from '../ledger.ts';
import { onSystem, type Scenario } from '../scenario.ts';
import { until } from '../system.ts';

const WAITING = '{lontar}:generation:wait';
const dataOf = (id: string) => `{lontar}:generation:${id}`;

/** What stands in the queue when the version changes: by how it differs, and the status that its caller must get. */
const FORMS: readonly {
  readonly what: string;
  readonly status: number;
  change(job: Record<string, unknown>): unknown;
}[] = [
  { what: 'of this version', status: 200, change: (job) => job },
  { what: 'with a field that is not known', status: 200, change: (job) => ({ ...job, priority: 'high' }) },
  { what: 'of a version that is not known', status: 500, change: (job) => ({ ...job, v: 99 }) },
  { what: 'that lacks its prompt', status: 500, change: ({ prompt: _prompt, ...job }) => job },
  { what: 'that is no object', status: 500, change: () => 'job' },
];

export const jobScenarios: readonly Scenario[] = [
  {
    name: 'other-job-formats',
    about: 'Jobs of older and newer versions stand in the queue when a worker starts.',
    run: (context) =>
      onSystem(context, { workers: 0 }, async (system) => {
        const { client } = system.stack.redis;
        const answers = [];
        for (const [index, { change }] of FORMS.entries()) {
          answers.push(system.send());
          await until(async () => (await client.llen(WAITING)) === index + 1, 5_000, 'a job in the queue');
          const id = (await client.lrange(WAITING, 0, 0))[0] ?? '';
          const job = JSON.parse((await client.hget(dataOf(id), 'data')) ?? '{}') as Record<string, unknown>;
          await client.hset(dataOf(id), 'data', JSON.stringify(change(job)));
        }
        const startedAt = Date.now();
        await system.stack.startWorker();
        const entries = await Promise.all(answers);
        for (const [index, { what, status }] of FORMS.entries()) {
          const entry = entries[index];
          context.report.fact(`a job ${what} ends with`, entry ? statusOf(entry) : 0, {
            atLeast: status,
            atMost: status,
          });
        }
        const slowest = Math.max(...entries.map((entry) => entry.sentAt + tookMs(entry))) - startedAt;
        context.report.timed('all answered after the start of the worker', slowest, { atMost: 10_000 });
      }),
  },
];
