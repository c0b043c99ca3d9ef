import { noteAction } from '@lontar/shared/admin/audit.ts';
import { holdQueue } from '@lontar/shared/admin/hold-queue.ts';
import { type GenerationQueue, openGenerationQueue } from '@lontar/shared/generation-queue.ts';
import { listInstances } from '@lontar/shared/instances.ts';
import type { Redis } from '@lontar/shared/redis-connection.ts';
import { settle } from '@lontar/shared/settlement/settle.ts';
import type { Command } from 'commander';
import { alignColumns } from '../columns.ts';
import { type CommandContext, print } from '../command-context.ts';

const DRAINED_AT_ONCE = 500;

/**
 * `lontar queue …`: looks at the queue of generation jobs, holds it and empties it.
 *
 * @throws nothing itself; the commands reject when Redis fails
 */
export function addQueueCommand(program: Command, context: CommandContext): void {
  const queue = program.command('queue').description('show, pause, resume or empty the queue of generation jobs');
  const withQueue = (use: (queue: GenerationQueue, redis: Redis) => Promise<void>) => () =>
    context.withRedis((redis) => use(openGenerationQueue(redis), redis));
  const show = async (opened: GenerationQueue, redis: Redis) => {
    const status = await readStatus(opened, redis);
    print(context, status, describe(status));
  };
  queue.command('status').description('how many jobs wait and how many are in work').action(withQueue(show));
  queue
    .command('pause')
    .description('let no worker start a job; jobs in work go on, and callers of the others wait until their deadline')
    .action(
      withQueue(async (opened, redis) => {
        await holdQueue(redis, 'pause', context.actor());
        await show(opened, redis);
      }),
    );
  queue
    .command('resume')
    .description('let workers start jobs again')
    .action(
      withQueue(async (opened, redis) => {
        await holdQueue(redis, 'resume', context.actor());
        await show(opened, redis);
      }),
    );
  queue
    .command('drain')
    .description('remove every job that no worker has started; its caller gets 503 and the credit back')
    .action(
      withQueue(async (opened, redis) => {
        await noteAction(redis, 'begun', context.actor(), 'queue.drain', '');
        const drained = await drain(opened, redis);
        print(context, { drained }, `${drained} waiting jobs were given back.`);
      }),
    );
}

async function readStatus(queue: GenerationQueue, redis: Redis) {
  const [state, instances] = await Promise.all([queue.state(), listInstances(redis)]);
  const workers = instances.filter(({ service }) => service === 'worker').length;
  return { ...state, oldestWaitingAgeMs: Math.round(state.oldestWaitingAgeMs), workers };
}

function describe(status: Awaited<ReturnType<typeof readStatus>>): string {
  return alignColumns([
    ['state', status.paused ? 'paused' : 'running'],
    ['waiting', String(status.waiting)],
    ['in work', String(status.active)],
    ['to be tried again', String(status.delayed)],
    ['oldest waits', `${(status.oldestWaitingAgeMs / 1000).toFixed(1)} s`],
    ['workers', String(status.workers)],
  ]);
}

/** Settling comes first: a worker that takes the job meanwhile finds it settled, and leaves it. */
async function drain(queue: GenerationQueue, redis: Redis): Promise<number> {
  let drained = 0;
  for (;;) {
    const jobs = await queue.unstarted(DRAINED_AT_ONCE);
    let removed = 0;
    for (const { id: requestId, keyId, gateway: replyTo } of jobs) {
      const settlement = { v: 1, outcome: 'failed', error: 'service_unavailable' } as const;
      const { kind } = await settle(redis, { requestId, keyId, settlement, replyTo });
      if (kind === 'settled') drained++;
      if (await queue.remove(requestId)) removed++;
    }
    if (removed === 0) return drained;
  }
}
