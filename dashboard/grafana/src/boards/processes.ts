import type { Board } from '../board.ts';

const CHOSEN = 'instance=~"$instance"';
const OURS = `job=~"gateway|worker|stats-service",${CHOSEN}`;
const NAME = '{{job}} {{instance}}';

export const processes: Board = {
  name: 'processes',
  title: 'Lontar: processes',
  question: 'Which process is short of something?',
  variables: ['instance'],
  panels: [
    {
      title: 'Processes up',
      about:
        'Processes that answer their metrics listener. Without a gateway no caller is served, without a worker no prompt.',
      kind: 'stat',
      unit: 'short',
      queries: ['gateway', 'worker', 'stats-service'].map((job) => ({
        expr: `sum(up{job="${job}"}) or vector(0)`,
        legend: job,
      })),
      down: 'overview',
      steps: { warn: 1, bad: 1 },
    },
    {
      title: 'Restarts',
      about:
        'How often a process under one address began anew, over the time shown. The alert ProcessRestarts says what to do.',
      kind: 'stat',
      unit: 'short',
      queries: [{ expr: `sum(changes(process_start_time_seconds{${OURS}}[$__range]))`, legend: 'restarts' }],
      down: 'queue-and-workers',
      steps: { warn: 1, bad: 4 },
    },
    {
      title: 'Processor time',
      about:
        'Processors that each process keeps busy. A service has one thread for its work: near 1 it is at its end, add another.',
      kind: 'lines',
      unit: 'short',
      queries: [{ expr: `rate(process_cpu_seconds_total{${OURS}}[$__rate_interval])`, legend: NAME }],
      down: 'queue-and-workers',
    },
    {
      title: 'Memory',
      about: 'What each process holds in memory. Containers are ended at their limit, 512 MB unless you set another.',
      kind: 'lines',
      unit: 'bytes',
      queries: [{ expr: `process_resident_memory_bytes{${OURS}}`, legend: NAME }],
      down: 'overview',
    },
    {
      title: 'Heap',
      about: 'JavaScript objects in use. A line that only rises, over hours and restarts of nothing, is a leak.',
      kind: 'lines',
      unit: 'bytes',
      queries: [{ expr: `nodejs_heap_size_used_bytes{${OURS}}`, legend: NAME }],
      down: 'overview',
    },
    {
      title: 'Event-loop lag, p99',
      about: 'How late timers of each process are. Above 0.1 s it is out of processor time, or something blocks it.',
      kind: 'lines',
      unit: 's',
      queries: [{ expr: `nodejs_eventloop_lag_p99_seconds{${OURS}}`, legend: NAME }],
      down: 'queue-and-workers',
    },
    {
      title: 'Event-loop lag, longest',
      about: 'The longest time for which each process did nothing else. After 10 s of silence a service ends itself.',
      kind: 'lines',
      unit: 's',
      queries: [{ expr: `nodejs_eventloop_lag_max_seconds{${OURS}}`, legend: NAME }],
      down: 'queue-and-workers',
    },
    {
      title: 'Restarts over time',
      about: 'Processes that began anew under the same address.',
      kind: 'stacked',
      unit: 'short',
      queries: [{ expr: `changes(process_start_time_seconds{${OURS}}[$__rate_interval])`, legend: NAME }],
      down: 'overview',
    },
    {
      title: 'Garbage collection',
      about: 'Share of the time that each process collects garbage. Above 0.1 its memory is too small for its work.',
      kind: 'lines',
      unit: 'percentunit',
      queries: [
        {
          expr: `sum by (job, instance) (rate(nodejs_gc_duration_seconds_sum{${OURS}}[$__rate_interval]))`,
          legend: NAME,
        },
      ],
      down: 'overview',
    },
    {
      title: 'Open files and connections',
      about: 'File descriptors in use, beside the limit that the system sets for a process.',
      kind: 'lines',
      unit: 'short',
      queries: [
        { expr: `process_open_fds{${OURS}}`, legend: NAME },
        { expr: `min(process_max_fds{${OURS}})`, legend: 'limit' },
      ],
      down: 'masking-and-trust',
    },
  ],
};
